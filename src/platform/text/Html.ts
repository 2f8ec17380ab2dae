import { Parser } from "htmlparser2"

/** Escapes text for HTML. */
export const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const deepest = 500

/**
 * How often a character may occur that begins or ends a tag, ends a style, assigns an attribute, or may begin an entity or a
 * style block. Long mail threads have some thousands; with this many, a parser takes a quarter of a second, during
 * which the service responds to no one else.
 */
const most = { "<": 50_000, ">": 100_000, ";": 200_000, "=": 200_000, "&": 100_000, "{": 50_000 }

/** How many attributes there may be. They need no "=": a name alone is one. */
const mostAttributes = 100_000

export const hasMoreThan = (html: string, sign: string, limit: number) => {
  let count = 0
  for (let at = html.indexOf(sign); at >= 0 && count <= limit; at = html.indexOf(sign, at + 1)) count += 1
  return count > limit
}

/**
 * Whether there are more elements, styles or attributes than people write, or the elements are nested more deeply: the
 * deeper an element is, the longer it takes a parser.
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

/** Tags that may occur in the middle of a word. */
const inWords =
  /^<\/?(?:a|abbr|b|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|small|span|strike|strong|su[bp]|tt|u|wbr)\b/i

/** Returns the words alone, for HTML that must not be given to a parser. */
export const withoutTags = (html: string) =>
  html
    .replace(/<[^<>]*>/g, (tag) => (inWords.test(tag) ? "" : "\n"))
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
