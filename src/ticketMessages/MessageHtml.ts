import { Parser } from "htmlparser2"
import sanitize from "sanitize-html"
import { escapeHtml, isTooMuch } from "../platform/Html.ts"

const styles = {
  color: [/^#[0-9a-f]{3,8}$/i, /^rgba?\([\d\s.,%]+\)$/i, /^[a-z]{3,20}$/i],
  "background-color": [/^#[0-9a-f]{3,8}$/i, /^rgba?\([\d\s.,%]+\)$/i, /^[a-z]{3,20}$/i],
  "font-weight": [/^(?:bold|normal|\d{3})$/],
  "font-style": [/^(?:italic|normal)$/],
  "text-align": [/^(?:left|right|center|justify)$/],
  "text-decoration": [/^(?:underline|line-through|none)$/]
}

/** Pictures come as attachments (cid) or inside the mail; one from elsewhere would tell its owner who reads it. */
const isOwnPicture = (source: string) => /^(?:cid:|data:image\/(?:png|jpeg|gif|webp);base64,)/i.test(source)

/** The HTML of a message as a browser may show it: no script, no form, no frame, nothing that loads by itself. */
export const safeHtml = (html: string) => (isTooMuch(html) ? roughHtml(html) : untilItStays(html, 4))

/** An element that is taken out leaves others side by side that end each other: they are read once more. */
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
    allowedStyles: { "*": styles },
    nestingLimit: 100,
    // These go together with their text.
    nonTextTags: ["script", "style", "title", "textarea", "option", "xmp"],
    transformTags: {
      a: sanitize.simpleTransform("a", { rel: "noopener noreferrer nofollow", target: "_blank" }),
      img: (tagName, { src = "", ...attribs }) => ({
        tagName,
        attribs: isOwnPicture(src) ? { ...attribs, src } : attribs
      })
    }
  })

/** A title without an end would take all that follows with it, so that it is read as text. */
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
// Not the head: it need not have an end, and what nobody reads in it is one of these.
const unreadNames = ["script", "style", "title", "template"]
const unread = new Set(unreadNames)
const unreadTag = new RegExp(`<(/?)(${unreadNames.join("|")})(?![\\w-])[^<>]*>`, "gi")

const longestRough = 1_000_000

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " " }

/** What stands in elements that nobody reads; one without an end hides nothing. */
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

/** The words of HTML that no parser should be given, on about the lines where they stood, up to a length. */
const roughText = (html: string) => {
  const words = withoutUnread(html.slice(0, longestRough).toWellFormed())
    .replace(blockTag, "\n")
    .replace(/<t[dh](?![\w-])[^<>]*>/gi, " ")
    .replace(/<[^<>]*>/g, "")
    .replace(/&(lt|gt|amp|quot|nbsp);/g, (entity, name: string) => entities[name] ?? entity)
  return html.length > longestRough ? `${tidied(words)}\n[…]` : tidied(words)
}

const roughHtml = (html: string) => escapeHtml(roughText(html)).replaceAll("\n", "<br>\n")

/** What a person reads of the HTML, a line for each block or row. */
export const textOfHtml = (html: string) => (isTooMuch(html) ? roughText(html) : readText(withoutOpenTitle(html)))

/** The same, with where each link leads behind its words. */
export const textWithLinks = (html: string) =>
  isTooMuch(html) ? roughText(html) : readText(withoutOpenTitle(html), true)

/** What a person would type to get where a link leads; nothing for what only a program understands. */
const placeOf = (href = "") => (/^https?:/i.test(href) ? href : /^(?:mailto|tel):(.+)$/i.exec(href)?.[1]) ?? ""

const readText = (html: string, hasLinks = false) => {
  // In pieces: to look at the end of a text that grows would take as long as the text is, each time.
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
