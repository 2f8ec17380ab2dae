/** A text in place of another, with the spaces that were around that one. */
export const inPlaceOf = (before: string, text: string) => {
  const start = before.length - before.trimStart().length
  const end = Math.max(start, before.trimEnd().length)
  return before.slice(0, start) + text + before.slice(end)
}
