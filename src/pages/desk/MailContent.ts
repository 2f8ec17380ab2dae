import { contrast, textOn } from "../dom/Contrast.ts"
import { element } from "../dom/Element.ts"
import { placeIn, placeOf, targetOf } from "./LinkTarget.ts"
import { isDrawable } from "./Picture.ts"

const kept = new Set([
  ..."a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del dfn".split(" "),
  ..."div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main".split(" "),
  ..."mark menu nav ol p pre q rb rt rtc ruby s samp section small span strong sub sup table tbody".split(" "),
  ..."td tfoot th thead time tr u ul var wbr".split(" ")
])

const unread = new Set("script style title template textarea option xmp iframe object noscript svg math".split(" "))

/** Without titles: one inside a link would hide that of the link. */
const attributes = ["dir", "lang", "colspan", "rowspan", "start", "type"]

/** None of these loads, moves or hides anything. */
const styles = ["color", "background-color", "font-weight", "font-style", "text-align", "text-decoration"]

/** The place of the style attribute, which the policy of the page forbids. */
const given = "data-style"

const setStyle = (node: HTMLElement, source: string) => {
  const { style } = document.createElement("span")
  style.cssText = source
  for (const name of styles) node.style.setProperty(name, style.getPropertyValue(name))
}

/** More than precedes the size in the header of any picture. */
const longestHeader = 400_000

const beginningOf = (address: string) => {
  const [prefix] = /^data:image\/(?:png|jpeg|gif|webp);base64,/i.exec(address) ?? []
  if (prefix === undefined) return undefined
  try {
    const content = address.slice(prefix.length, 2 * longestHeader).replace(/\s/g, "")
    return Uint8Array.from(atob(content.slice(0, longestHeader)), (sign) => sign.charCodeAt(0)).buffer
  } catch {
    return undefined
  }
}

/** Only a picture inside the mail is shown: loading another one would tell its owner who reads the mail, and when. */
const picture = (source: Element) => {
  const [src, alt] = [source.getAttribute("src") ?? "", source.getAttribute("alt")?.trim() ?? ""]
  const bytes = beginningOf(src)
  if (bytes !== undefined && isDrawable(bytes)) return [element("img", { src, alt })]
  return src === "" && alt === "" ? [] : [alt === "" ? "[Picture]" : `[Picture: ${alt}]`]
}

/** One by one: there may be more than a call can take. */
const appendAll = (node: HTMLElement, children: ReadonlyArray<Node | string>) => {
  for (const child of children) node.append(child)
}

/** None of these makes a line of its own. */
const inLine = new Set([
  ..."a abbr b bdi bdo cite code del dfn em font i img ins kbd mark q s samp small span strong sub sup".split(" "),
  ..."time u var wbr".split(" ")
])

const gaps = /[\s\p{Default_Ignorable_Code_Point}\u2800]{2,}/gu

/** Brings together what a link says: with lines or gaps in between, its target would be shown far from its words. */
const joinUp = (node: HTMLElement, isAsWritten: boolean) => {
  const dividing = [...node.querySelectorAll("*")].filter(({ localName }) => !inLine.has(localName))
  const written = node.textContent ?? ""
  const seen = isAsWritten ? written : written.replace(/[ \t\r\n\f]+/g, " ")
  if (dividing.length === 0 && seen.search(gaps) < 0) return
  for (const one of dividing) one.append(" ")
  const words = (node.textContent ?? "").replace(gaps, " ").trim()
  const pictures = node.querySelectorAll("img")
  node.replaceChildren()
  appendAll(node, [...pictures, words])
}

const link = (node: HTMLElement, source: Element) => {
  const target = targetOf(source.getAttribute("href") ?? "")
  if (target === undefined) return [node]
  const { href } = target
  for (const [name, value] of Object.entries({ href, title: href, target: "_blank", rel: "noopener noreferrer" })) {
    node.setAttribute(name, value)
  }
  const [words, place] = [placeIn(node.textContent ?? "", target), placeOf(target)]
  if (words === undefined && place !== "") {
    joinUp(node, source.closest("pre") !== null)
    return [node, element("bdi", { class: "target", dir: "ltr" }, `→ ${place}`)]
  }
  if (words !== undefined) node.replaceChildren(element("bdi", { dir: "ltr" }, words))
  return [node]
}

const copied = (source: Node): ReadonlyArray<Node | string> => {
  if (source instanceof Text) return [source.data]
  if (!(source instanceof Element) || unread.has(source.localName)) return []
  if (source.localName === "img") return picture(source)
  const children = [...source.childNodes].flatMap(copied)
  if (!kept.has(source.localName)) return children
  const node = document.createElement(source.localName)
  appendAll(node, children)
  for (const name of attributes) {
    const value = source.getAttribute(name)
    if (value !== null) node.setAttribute(name, value)
  }
  const style = source.getAttribute(given)
  if (style !== null) setStyle(node, style)
  return source.localName === "a" ? link(node, source) : [node]
}

const policy = window.trustedTypes?.createPolicy("mail", { createHTML: (html) => html })

/** Marks text as HTML. It may only become a document that runs nothing. */
export const trusted = (html: string) => policy?.createHTML(html) ?? html

/** Shows a mail with elements made anew, of the few kinds that only show something. */
export const showMail = (body: HTMLElement, html: string) => {
  const renamed = html.replace(/<\w[^<>]*>/g, (tag) => tag.replace(/\sstyle="/gi, ` ${given}="`))
  const source = new DOMParser().parseFromString(trusted(renamed), "text/html")
  body.replaceChildren()
  appendAll(body, copied(source.body))
  makeReadable(body)
}

const read = (colour: string) => {
  const [red = 0, green = 0, blue = 0, alpha = 1] = [...colour.matchAll(/[\d.]+/g)].map(([value]) => Number(value))
  const digits = [red, green, blue].map((value) => Math.round(value).toString(16).padStart(2, "0"))
  return { colour: `#${digits.join("")}`, isFaint: alpha < 0.5 }
}

const hasText = ({ childNodes }: Element) =>
  [...childNodes].some(({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue?.trim() !== "")

/** Changes the colour of what cannot be read, as white letters on a dark picture that is not loaded. */
const makeReadable = (body: HTMLElement) => {
  const papers = new Map<Element | null, string>()
  for (const node of body.querySelectorAll<HTMLElement>("*")) {
    const { backgroundColor, color } = getComputedStyle(node)
    const [below, letters] = [read(backgroundColor), read(color)]
    const paper = below.isFaint ? (papers.get(node.parentElement) ?? "#ffffff") : below.colour
    papers.set(node, paper)
    const isReadable = !letters.isFaint && contrast(letters.colour, paper) >= 3
    if (!isReadable && hasText(node)) node.style.color = textOn(paper)
  }
}
