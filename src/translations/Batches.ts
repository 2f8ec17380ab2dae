/** Splits a list into batches of limited count and total length; an overlong text gets a batch of its own. */
export const batches = (
  texts: ReadonlyArray<string>,
  most: number,
  longest: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const runs: Array<Array<string>> = []
  let length = 0
  for (const text of texts) {
    const run = runs.at(-1)
    if (run === undefined || run.length >= most || length + text.length > longest) {
      runs.push([text])
      length = text.length
    } else {
      run.push(text)
      length += text.length
    }
  }
  return runs
}
