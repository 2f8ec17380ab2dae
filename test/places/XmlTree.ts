/** An element of an XML file, with as much as a test needs. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Array<XmlElement>
  text: string
}

const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const token =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<\/([^\s<>/]+)\s*>|<([^\s<>/=]+)((?:\s+[^\s<>=/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy

const badReference = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i

const fail = (problem: string, xml: string, at: number): never => {
  throw new Error(`${problem} at ${at}: …${xml.slice(Math.max(0, at - 80), at + 80)}…`)
}

const attributesOf = (written: string, xml: string, at: number) => {
  const attributes: Record<string, string> = {}
  for (const [, name = "", double, single] of written.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (name in attributes) fail(`${name} is given twice`, xml, at)
    const value = double ?? single ?? ""
    if (badReference.test(value)) fail("A raw & in an attribute", xml, at)
    attributes[name] = value
  }
  return attributes
}

/** Reads XML as strictly as Word does; throws if it is not well-formed. */
export const parseXml = (xml: string): XmlElement => {
  const control = illegal.exec(xml)
  if (control !== null) fail("A character that XML cannot hold", xml, control.index)
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" }
  const open: Array<XmlElement> = [root]
  token.lastIndex = xml.startsWith("\ufeff") ? 1 : 0
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex
    const match = token.exec(xml) ?? fail("No XML", xml, at)
    const [, closing, opening, written = "", isEmpty, text] = match
    const current = open.at(-1) ?? root
    if (closing !== undefined) {
      if (open.length === 1 || current.name !== closing) fail(`</${closing}> closes nothing`, xml, at)
      open.pop()
    } else if (opening !== undefined) {
      const element = { name: opening, attributes: attributesOf(written, xml, at), children: [], text: "" }
      current.children.push(element)
      if (isEmpty === "") open.push(element)
    } else if (text !== undefined) {
      if (badReference.test(text)) fail("A raw &", xml, at)
      if (text.includes("]]>")) fail("]]> in a text", xml, at)
      if (open.length === 1 && text.trim() !== "") fail("Text outside of the root", xml, at)
      current.text += text
    }
  }
  if (open.length !== 1) fail(`<${open.at(-1)?.name}> is never closed`, xml, xml.length)
  const [only] = root.children
  if (only === undefined || root.children.length !== 1) return fail("Not one root", xml, 0)
  return only
}

/** An element and every element below it. */
export const everyElement = (element: XmlElement): ReadonlyArray<XmlElement> => [
  element,
  ...element.children.flatMap(everyElement)
]

export const elementsNamed = (element: XmlElement, name: string) =>
  everyElement(element).filter((candidate) => candidate.name === name)

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** All the text in an element, as a reader sees it. */
export const textIn = (element: XmlElement): string =>
  everyElement(element)
    .filter(({ name }) => name === "w:t")
    .map(({ text }) => text.replace(/&(\w+);/g, (_, name: string) => entities[name] ?? ""))
    .join("")
