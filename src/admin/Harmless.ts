/** What somebody else wrote, for a terminal: without the codes that would give it orders. Lines stay. */
export const harmless = (words: string) => words.replace(/(?![\n\t])\p{Cc}/gu, "")
