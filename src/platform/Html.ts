import { Parser } from "htmlparser2"

/** Text as HTML that shows just that. */
export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const deepest = 500

/** Long threads of mails have some thousands. With so many, a parser takes a quarter of a second, and nobody else is answered. */
const mostTags = 50_000

const hasTooManyTags = (html: string) => {
  let count = 0
  for (let at = html.indexOf("<"); at >= 0 && count <= mostTags; at = html.indexOf("<", at + 1)) count += 1
  return count > mostTags
}

/**
 * Whether there are more elements than anybody writes, or they lie deeper in each other: a parser takes longer for each
 * one the deeper it is.
 */
export const isTooMuch = (html: string) => hasTooManyTags(html) || isTooDeep(html)

const isTooDeep = (html: string) => {
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
