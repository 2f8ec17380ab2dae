import { element } from "./Element.ts"

const address = /https?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/g

/** Text with its web addresses as links; everything else stays plain text. */
export const richText = (text: string): ReadonlyArray<Node | string> => {
  const parts: Array<Node | string> = []
  let end = 0
  for (const match of text.matchAll(address)) {
    parts.push(text.slice(end, match.index))
    const [href] = match
    parts.push(element("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, href))
    end = match.index + href.length
  }
  parts.push(text.slice(end))
  return parts.filter((part) => part !== "")
}
