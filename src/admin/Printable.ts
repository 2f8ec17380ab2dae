/** Makes foreign text safe to print: removes the control characters that a terminal would obey. Line breaks stay. */
export const printable = (words: string) => words.replace(/(?![\n\t])\p{Cc}/gu, "")
