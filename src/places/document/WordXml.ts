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

/** The library's form of a piece of XML: a text, attributes below _attr, or an element below its name. */
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
  // As the patcher writes it, so that a document is the same whoever wrote a part of it.
  return content === "" && !attributes.includes(' xml:space="preserve"')
    ? `<${name}${attributes}/>`
    : `<${name}${attributes}>${content}</${name}>`
}

const nowhere = new Document({ sections: [] })

/**
 * A part of a document as the patcher would write it. The patcher itself searches all that it has written once more for
 * every placeholder, in a time that grows with the square of it: for a long report minutes, in which nothing else runs.
 */
export const xmlOf = (part: XmlComponent) =>
  written(part.prepForXml({ file: nowhere, viewWrapper: nowhere.Document, stack: [] })).content

/** Writes an element of this name in place of itself. No template has one: it is in no namespace of Word. */
export const standingFor = <A extends XmlComponent>(part: A, name: string): A => {
  part.prepForXml = (): IXmlableObject => ({ [name]: {} })
  return part
}

const holeName = "casework-hole"

/** Where the content of a part goes that is too long to be written at once. */
export const hole = {
  run: standingFor(new TextRun(""), holeName),
  paragraph: standingFor(new Paragraph(""), holeName),
  cell: standingFor(new TableCell({ children: [] }), holeName),
  row: standingFor(new TableRow({ children: [] }), holeName)
}

/** What stands before the hole of a part and behind it. */
export type Frame = readonly [start: string, end: string]

export const frameOf = (part: XmlComponent): Frame => {
  const [start = "", end = ""] = xmlOf(part).split(`<${holeName}/>`)
  return [start, end]
}

/** A frame, piece by piece with what goes into it. */
export const framed = function* ([start, end]: Frame, content: Iterable<string>) {
  yield start
  yield* content
  yield end
}

/** A part with a hole, piece by piece with what goes into it. */
export const filled = (part: XmlComponent, content: Iterable<string>) => framed(frameOf(part), content)
