/** Replaces a text and keeps the white space around it. */
export const inPlaceOf = (before: string, text: string) => {
  const start = before.length - before.trimStart().length
  const end = Math.max(start, before.trimEnd().length)
  return before.slice(0, start) + text + before.slice(end)
}
