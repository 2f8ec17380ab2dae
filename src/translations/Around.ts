const spaces = /^(\s*)([\s\S]*?)(\s*)$/

/** A text in place of another, with the spaces that were around that one. */
export const inPlaceOf = (before: string, text: string) => {
  const [, start = "", , end = ""] = spaces.exec(before) ?? []
  return `${start}${text}${end}`
}
