const protocols = new Set(["http:", "https:", "mailto:", "tel:"])

/** Where a link leads. A relative address leads nowhere: a mail has no place of its own. */
export const targetOf = (href: string) => {
  const target = URL.canParse(href) ? new URL(href) : undefined
  return target !== undefined && protocols.has(target.protocol) ? target : undefined
}

/** Words that may be an address; longer ones are none, and need not be read to the end. */
const longestAddress = 500

/** Words without invisible signs, and with wide letters as the plain ones that they look like. */
const plain = (words: string) =>
  words
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .trim()

const digitsOf = (text: string) => text.replace(/\D/g, "")

const bare = (address: string) => address.toLowerCase().replace(/^(?:https?:\/\/)?(?:www\.)?|\/$/g, "")

const isRecipient = (field: string) => ["to", "cc", "bcc"].includes(field.toLowerCase())

/** Other letters as their codes, as they are in the path of an address: some only look the same, or like nothing. */
const lettersOf = (text: string) => text.replace(/[^ -~]/gu, encodeURIComponent)

const recipientsOf = ({ pathname, searchParams }: URL) =>
  [pathname, ...[...searchParams].flatMap(([field, value]) => (isRecipient(field) ? [lettersOf(value)] : []))]
    .filter((address) => address !== "")
    .join(", ")

/**
 * Where a link leads, in plain letters, so that a name with letters that only look the same is seen to be another. Empty
 * for one that only prepares a mail to nobody yet.
 */
export const placeOf = (target: URL) => {
  if (target.protocol === "tel:") return target.pathname
  return target.protocol === "mailto:" ? recipientsOf(target) : target.host
}

const isPlace = (words: string, target: URL) => {
  if (target.protocol === "tel:") {
    return /^[-+\d\s()./]+$/.test(words) && digitsOf(words) === digitsOf(target.pathname)
  }
  if (target.protocol === "mailto:") return words.toLowerCase() === recipientsOf(target).toLowerCase()
  return target.username === "" && [target.host, target.href].some((address) => bare(address) === bare(words))
}

/**
 * The words of a link as plain text, if they are where it leads to and nothing else. Shown as written, they may still
 * have been turned round, divided or painted to look like another place.
 */
export const placeIn = (words: string, target: URL) => {
  const seen = words.length <= longestAddress ? plain(words) : ""
  return seen !== "" && isPlace(seen, target) ? seen : undefined
}
