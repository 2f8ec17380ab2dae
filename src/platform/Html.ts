import { Parser } from "htmlparser2"

/** Text as HTML that shows just that. */
export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const deepest = 500

/** Whether elements lie in each other deeper than anybody writes: a parser takes longer for each one the more there are. */
export const isTooDeep = (html: string) => {
  let depth = 0
  const parser = new Parser({ onopentag: () => void depth++, onclosetag: () => void depth-- })
  for (let at = 0; at < html.length && depth <= deepest; at += 4096) parser.write(html.slice(at, at + 4096))
  return depth > deepest
}

/** The words alone, for HTML that no parser should be given. */
export const withoutTags = (html: string) =>
  html
    .replace(/<[^<>]*>/g, "")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
