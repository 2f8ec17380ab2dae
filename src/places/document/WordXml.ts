import { Document, type IXmlableObject, Paragraph, TableCell, TableRow, TextRun, type XmlComponent } from "docx"
import { Predicate } from "effect"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

const escaped = (text: string, pattern: RegExp) => text.replace(pattern, (character) => escapes[character] ?? "")

const attributesIn = (attributes: object) =>
  Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ` ${name}="${escaped(String(value), /[&<>"']/g)}"`)
    .join("")

/** Writes a piece of XML in the library's form: a text, attributes under _attr, or an element under its name. */
const written = (piece: unknown): { readonly attributes: string; readonly content: string } => {
  if (Array.isArray(piece)) {
    const parts = piece.map(written)
    return {
      attributes: parts.map(({ attributes }) => attributes).join(""),
      content: parts.map(({ content }) => content).join("")
    }
  }
  if (!Predicate.isRecord(piece)) {
    return { attributes: "", content: escaped(String(piece ?? ""), /[&<>]/g) }
  }
  return {
    attributes: Predicate.isRecord(piece["_attr"]) ? attributesIn(piece["_attr"]) : "",
    content: Object.entries(piece)
      .filter(([name]) => name !== "_attr")
      .map(([name, value]) => element(name, value))
      .join("")
  }
}

const element = (name: string, value: unknown): string => {
  const { attributes, content } = written(value)
  // Empty elements are written as the patcher writes them, so that a document looks the same whichever wrote a part.
  return content === "" && !attributes.includes(' xml:space="preserve"')
    ? `<${name}${attributes}/>`
    : `<${name}${attributes}>${content}</${name}>`
}

const nowhere = new Document({ sections: [] })

/**
 * Returns a part of a document as the patcher would write it. The patcher itself searches everything it has written
 * again for every placeholder, in quadratic time: a long report would block the process for minutes.
 */
export const xmlOf = (part: XmlComponent) =>
  written(part.prepForXml({ file: nowhere, viewWrapper: nowhere.Document, stack: [] })).content

/** Makes a part write an element of this name in its place. No template has one: it is in no namespace of Word. */
export const standingFor = <A extends XmlComponent>(part: A, name: string): A => {
  part.prepForXml = (): IXmlableObject => ({ [name]: {} })
  return part
}

const holeName = "casework-hole"

/** Marks where the content goes in a part that is too long to be written at once. */
export const hole = {
  run: standingFor(new TextRun(""), holeName),
  paragraph: standingFor(new Paragraph(""), holeName),
  cell: standingFor(new TableCell({ children: [] }), holeName),
  row: standingFor(new TableRow({ children: [] }), holeName)
}

/** The XML before and after the hole of a part. */
export type Frame = readonly [start: string, end: string]

export const frameOf = (part: XmlComponent): Frame => {
  const [start = "", end = ""] = xmlOf(part).split(`<${holeName}/>`)
  return [start, end]
}

/** Yields a frame with its content, piece by piece. */
export const framed = function* ([start, end]: Frame, content: Iterable<string>) {
  yield start
  yield* content
  yield end
}

/** Yields a part with its hole filled, piece by piece. */
export const filled = (part: XmlComponent, content: Iterable<string>) => framed(frameOf(part), content)
