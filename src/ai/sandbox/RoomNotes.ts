import { escapeHtml } from "../../platform/text/Html.ts"

const bullet = /^\s*[-*•]\s+/

const isDoubtful = (line: string) =>
  /\?\s*$|\b(?:maybe|perhaps|unclear|not sure|vielleicht|unklar|peut-etre)\b/i.test(line)

const marked = (line: string) => (isDoubtful(line) ? `[[${escapeHtml(line)}]]` : escapeHtml(line))

/** Raw notes as simple HTML: a line that ends in a colon is a heading, dashes make a list, the rest are paragraphs. */
export const notesToHtml = (label: string, notes: string): string => {
  const lines = notes
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const blocks: Array<string> = [`<p>${label}</p>`]
  let list: Array<string> = []
  const closeList = () => {
    if (list.length > 0) blocks.push(`<ul>${list.join("")}</ul>`)
    list = []
  }
  for (const line of lines) {
    if (bullet.test(line)) {
      list.push(`<li>${marked(line.replace(bullet, ""))}</li>`)
      continue
    }
    closeList()
    blocks.push(/^.{1,60}:$/.test(line) ? `<h3>${escapeHtml(line.slice(0, -1))}</h3>` : `<p>${marked(line)}</p>`)
  }
  closeList()
  return blocks.join("")
}
