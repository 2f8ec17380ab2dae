import { Parser } from "htmlparser2"

/** Text as HTML that shows just that. */
export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const deepest = 500

/**
 * How often a sign may occur that begins a tag, ends a style, gives an attribute, or may begin an entity or a block of
 * styles. Long threads of mails have some thousands; with so many, a parser takes a quarter of a second, and nobody
 * else is answered.
 */
const most = { "<": 50_000, ";": 200_000, "=": 200_000, "&": 100_000, "{": 50_000 }

/** How many attributes there may be. They need no sign: a name alone is one. */
const mostAttributes = 100_000

export const hasMoreThan = (html: string, sign: string, limit: number) => {
  let count = 0
  for (let at = html.indexOf(sign); at >= 0 && count <= limit; at = html.indexOf(sign, at + 1)) count += 1
  return count > limit
}

/**
 * Whether there are more elements, styles or attributes than anybody writes, or the elements lie deeper in each other: a
 * parser takes longer for each one the deeper it is.
 */
export const isTooMuch = (html: string) =>
  Object.entries(most).some(([sign, limit]) => hasMoreThan(html, sign, limit)) || isTooMuchToParse(html)

const isTooMuchToParse = (html: string) => {
  let depth = 0
  let attributes = 0
  const parser = new Parser({
    onopentag: () => void depth++,
    onclosetag: () => void depth--,
    onattribute: () => void attributes++
  })
  const isFine = () => depth <= deepest && attributes <= mostAttributes
  for (let at = 0; at < html.length && isFine(); at += 4096) parser.write(html.slice(at, at + 4096))
  return !isFine()
}

/** Tags that may stand in the middle of a word. */
const inWords =
  /^<\/?(?:a|abbr|b|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|small|span|strike|strong|su[bp]|tt|u|wbr)\b/i

/** The words alone, for HTML that no parser should be given. */
export const withoutTags = (html: string) =>
  html
    .replace(/<[^<>]*>/g, (tag) => (inWords.test(tag) ? "" : "\n"))
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
