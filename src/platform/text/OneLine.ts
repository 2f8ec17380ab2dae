/** Puts foreign text on one line, for places that hold no more, such as the head of a mail. */
export const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()
