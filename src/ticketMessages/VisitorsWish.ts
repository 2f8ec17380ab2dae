const wish = "The visitor asks for a person."

/** The comment that a visitor's wish for a person leaves on its message. */
export const wishOf = (replyTo: string | undefined) => (replyTo === undefined ? wish : `${wish} Reply to ${replyTo}.`)

/** Nothing else tells whose comment it is; of a person who writes the very same, nothing is lost either. */
export const isWish = (comment: string) =>
  /^The visitor asks for a person\.(?: Reply to [^\s@]+@[^\s@]+\.)?$/.test(comment)

/** The comment after a wish: what a person wrote stays, and so does the address of an earlier wish. */
export const commentAfterWish = (comment: string | null, replyTo: string | undefined) =>
  comment === null || comment === wish || (isWish(comment) && replyTo !== undefined) ? wishOf(replyTo) : comment
