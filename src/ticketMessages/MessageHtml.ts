import { Parser } from "htmlparser2"
import sanitize from "sanitize-html"
import { escapeHtml, isTooMuch } from "../platform/text/Html.ts"
import { safeStyle } from "./MessageStyle.ts"

/** Pictures come as attachments (cid) or inside the mail; a remote one would tell its owner who reads the mail. */
const isOwnPicture = (source: string) => /^(?:cid:|data:image\/(?:png|jpeg|gif|webp);base64,)/i.test(source)

const withSafeStyle = (attributes: sanitize.Attributes) => {
  if (attributes["style"] === undefined) return attributes
  const { style, ...others } = attributes
  const kept = safeStyle(style)
  return kept === "" ? others : { ...others, style: kept }
}

/** The HTML of a message, made safe for a browser: no script, form or frame, and nothing that loads by itself. */
export const safeHtml = (html: string) => (isTooMuch(html) ? roughHtml(html) : untilItStays(html, 4))

/** Removing an element can leave neighbours that implicitly close each other, so the result is sanitized again. */
const untilItStays = (html: string, looks: number): string => {
  const safe = sanitized(html)
  return safe === html || looks === 1 ? safe : untilItStays(safe, looks - 1)
}

const sanitized = (html: string) =>
  sanitize(withoutOpenTitle(html), {
    allowedTags: [...sanitize.defaults.allowedTags, "img", "del", "ins", "center", "font"],
    allowedAttributes: {
      a: ["href", "name", "title", "rel", "target"],
      img: ["src", "alt", "title", "width", "height"],
      td: ["colspan", "rowspan"],
      th: ["colspan", "rowspan"],
      ol: ["start", "type"],
      "*": ["style", "dir", "lang"]
    },
    allowedSchemes: ["http", "https", "mailto", "tel"],
    allowedSchemesByTag: { img: ["cid", "data"] },
    allowProtocolRelative: false,
    // They need no parsing: transformTags leaves only what is harmless.
    parseStyleAttributes: false,
    nestingLimit: 100,
    // These are removed together with their text.
    nonTextTags: ["script", "style", "title", "textarea", "option", "xmp"],
    transformTags: {
      // Mail programs still write the old name, which is not kept.
      strike: "s",
      a: sanitize.simpleTransform("a", { rel: "noopener noreferrer nofollow", target: "_blank" }),
      img: (tagName, { src = "", ...attribs }) => ({
        tagName,
        attribs: isOwnPicture(src) ? { ...attribs, src } : attribs
      }),
      "*": (tagName, attribs) => ({ tagName, attribs: withSafeStyle(attribs) })
    }
  })

/**
 * A title that is never closed would swallow everything after it, so its tag is replaced and the rest is read as text.
 */
const withoutOpenTitle = (html: string) => {
  const lastEnd = Array.from(html.matchAll(/<\/title/gi)).at(-1)?.index ?? 0
  return html.slice(0, lastEnd) + html.slice(lastEnd).replace(/<title(?![\w-])[^<>]*>/gi, "<br>")
}

const blocks = new Set([
  ..."address article aside blockquote br caption center dd details dialog dir div dl dt fieldset".split(" "),
  ..."figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol".split(" "),
  ..."option p pre section summary table tr ul".split(" ")
])
const blockTag = new RegExp(`<(?:${[...blocks].join("|")})(?![\\w-])[^<>]*>`, "gi")
const cells = new Set(["td", "th"])
// Without the head: it may lack an end tag, and everything unread in it is one of these.
const unreadNames = ["script", "style", "title", "template"]
const unread = new Set(unreadNames)
const unreadTag = new RegExp(`<(/?)(${unreadNames.join("|")})(?![\\w-])[^<>]*>`, "gi")

const longestRough = 1_000_000

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " " }

/** Removes the elements whose content nobody reads; an unclosed one hides nothing. */
const withoutUnread = (html: string) => {
  const read: Array<string> = []
  let from = 0
  let open: { readonly name: string; readonly at: number } | undefined
  for (const { 0: tag, 1: slash, 2: name = "", index } of html.matchAll(unreadTag)) {
    if (open === undefined && slash === "") open = { name: name.toLowerCase(), at: index }
    if (open === undefined || slash === "" || open.name !== name.toLowerCase()) continue
    read.push(html.slice(from, open.at))
    from = index + tag.length
    open = undefined
  }
  return `${read.join("")}${html.slice(from)}`
}

/** The text of HTML that should not reach a parser, with roughly the same line breaks, up to a maximum length. */
const roughText = (html: string) => {
  const words = withoutUnread(html.slice(0, longestRough).toWellFormed())
    .replace(blockTag, "\n")
    .replace(/<t[dh](?![\w-])[^<>]*>/gi, " ")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(lt|gt|amp|quot|nbsp);/g, (entity, name: string) => entities[name] ?? entity)
  return html.length > longestRough ? `${tidied(words)}\n[…]` : tidied(words)
}

const roughHtml = (html: string) => escapeHtml(roughText(html)).replaceAll("\n", "<br>\n")

/** The text that a person sees in the HTML, with one line for each block or row. */
export const textOfHtml = (html: string) => (isTooMuch(html) ? roughText(html) : readText(withoutOpenTitle(html)))

/** The same, with the target of each link after its text. */
export const textWithLinks = (html: string) =>
  isTooMuch(html) ? roughText(html) : readText(withoutOpenTitle(html), true)

/** What a person would type to reach a link's target; nothing for links that only a program understands. */
const placeOf = (href = "") => (/^https?:/i.test(href) ? href : /^(?:mailto|tel):(.+)$/i.exec(href)?.[1]) ?? ""

const readText = (html: string, hasLinks = false) => {
  // In pieces: looking at the end of a growing string would cost as much as its length, every time.
  const pieces: Array<string> = []
  let [isInLine, isSpaced] = [false, true]
  let [hidden, asWritten] = [0, 0]
  let link: { readonly place: string; readonly from: number } | undefined
  const put = (text: string) => {
    if (text === "") return
    pieces.push(text)
    isInLine = !text.endsWith("\n")
    isSpaced = /\s$/.test(text)
  }
  const add = (piece: string) => {
    if (asWritten > 0) return put(piece)
    const text = piece.replace(/\s+/g, " ")
    put(isSpaced ? text.trimStart() : text)
  }
  const setApart = (name: string) => {
    if (isInLine && blocks.has(name)) put("\n")
    if (!isSpaced && cells.has(name)) put(" ")
  }
  const count = (name: string, step: 1 | -1) => {
    if (unread.has(name)) hidden += step
    if (name === "pre") asWritten += step
  }
  const endLink = () => {
    if (link === undefined) return
    const words = pieces.slice(link.from).join("").trim()
    if (!words.includes(link.place)) add(words === "" ? link.place : ` (${link.place})`)
    link = undefined
  }
  const parser = new Parser({
    onopentag: (name, { href }) => {
      setApart(name)
      if (hasLinks && name === "a" && placeOf(href) !== "") link ??= { place: placeOf(href), from: pieces.length }
      count(name, 1)
    },
    ontext: (piece) => {
      if (hidden === 0) add(piece)
    },
    onclosetag: (name) => {
      if (name === "a") endLink()
      count(name, -1)
      setApart(name)
    }
  })
  parser.end(html)
  return tidied(pieces.join(""))
}

const tidied = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()
