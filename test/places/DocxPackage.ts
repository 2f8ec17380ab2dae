import { posix } from "node:path"
import JSZip from "jszip"
import { pictureTypeOf } from "../../src/places/PictureRules.ts"
import { elementsNamed, everyElement, parseXml, textIn, type XmlElement } from "./XmlTree.ts"

export interface DocxPackage {
  readonly names: ReadonlyArray<string>
  readonly bytes: ReadonlyMap<string, Buffer>
  readonly xml: ReadonlyMap<string, XmlElement>
  readonly document: XmlElement
}

/** Takes a document apart; throws if it is not a ZIP or its parts are not XML. */
export const openDocx = async (file: Uint8Array): Promise<DocxPackage> => {
  const zip = await JSZip.loadAsync(file, { checkCRC32: true })
  const bytes = new Map<string, Buffer>()
  for (const [name, part] of Object.entries(zip.files)) {
    if (!part.dir) bytes.set(name, await part.async("nodebuffer"))
  }
  const xml = new Map(
    [...bytes]
      .filter(([name]) => /\.(?:xml|rels)$/.test(name))
      .map(([name, content]) => [name, parseXml(content.toString("utf8"))])
  )
  const document = xml.get("word/document.xml")
  if (document === undefined) throw new Error("There is no word/document.xml")
  return { names: [...bytes.keys()], bytes, xml, document }
}

const valuesOf = (root: XmlElement, name: string, attribute = "w:val") =>
  elementsNamed(root, name).flatMap(({ attributes }) => attributes[attribute] ?? [])

const doubled = (values: ReadonlyArray<string>) => values.filter((value, index) => values.indexOf(value) !== index)

/** Word calls a document damaged when a part has no type. */
const untyped = ({ names, xml }: DocxPackage) => {
  const types = xml.get("[Content_Types].xml")
  if (types === undefined) return ["There is no [Content_Types].xml"]
  const defaults = new Set(valuesOf(types, "Default", "Extension").map((extension) => extension.toLowerCase()))
  const overrides = new Set(valuesOf(types, "Override", "PartName"))
  return [
    ...names
      .filter((name) => name !== "[Content_Types].xml")
      .filter((name) => !overrides.has(`/${name}`) && !defaults.has((/[^.]*$/.exec(name)?.[0] ?? "").toLowerCase()))
      .map((name) => `${name} has no content type`),
    ...[...overrides]
      .filter((name) => !names.includes(name.slice(1)))
      .map((name) => `${name} has a type and is not there`),
    ...doubled([...valuesOf(types, "Default", "Extension")]).map((extension) => `${extension} has two types`)
  ]
}

const relationsFile = (part: string) => posix.join(posix.dirname(part), "_rels", `${posix.basename(part)}.rels`)

const badRelations = ({ names, xml }: DocxPackage) =>
  [...xml].flatMap(([name, root]) => {
    if (name.endsWith(".rels")) {
      const folder = posix.dirname(posix.dirname(name))
      const relations = elementsNamed(root, "Relationship")
      return [
        ...relations
          .filter(({ attributes }) => attributes["TargetMode"] !== "External")
          .map(({ attributes }) => posix.join(folder, attributes["Target"] ?? ""))
          .filter((target) => !names.includes(target))
          .map((target) => `${name} points at ${target}, which is not there`),
        ...doubled(relations.map(({ attributes }) => attributes["Id"] ?? "")).map((id) => `${name} has ${id} twice`)
      ]
    }
    const known = new Set(valuesOf(xml.get(relationsFile(name)) ?? root, "Relationship", "Id"))
    return everyElement(root)
      .flatMap(({ attributes }) => ["r:id", "r:embed", "r:link"].flatMap((attribute) => attributes[attribute] ?? []))
      .filter((id) => !known.has(id))
      .map((id) => `${name} uses ${id}, which is no relationship of it`)
  })

const badLists = ({ document, xml }: DocxPackage) => {
  const numbering = xml.get("word/numbering.xml")
  const used = valuesOf(document, "w:numId")
  if (numbering === undefined) return used.map((id) => `There is no list ${id}`)
  const lists = new Set(valuesOf(numbering, "w:num", "w:numId"))
  const kinds = new Set(valuesOf(numbering, "w:abstractNum", "w:abstractNumId"))
  const order = numbering.children.map(({ name }) => name)
  return [
    ...used.filter((id) => !lists.has(id)).map((id) => `There is no list ${id}`),
    ...elementsNamed(numbering, "w:num")
      .flatMap((list) => valuesOf(list, "w:abstractNumId"))
      .filter((id) => !kinds.has(id))
      .map((id) => `There is no kind of list ${id}`),
    ...doubled(valuesOf(numbering, "w:num", "w:numId")).map((id) => `List ${id} is there twice`),
    ...(order.lastIndexOf("w:abstractNum") > order.indexOf("w:num") && order.includes("w:num")
      ? ["A kind of list stands behind a list"]
      : [])
  ]
}

const badStyles = ({ document, xml }: DocxPackage) => {
  const styles = xml.get("word/styles.xml")
  const known = new Set(styles === undefined ? [] : valuesOf(styles, "w:style", "w:styleId"))
  return [...new Set(["w:pStyle", "w:rStyle", "w:tblStyle"].flatMap((name) => valuesOf(document, name)))]
    .filter((id) => !known.has(id))
    .map((id) => `There is no style ${id}`)
}

const childrenNamed = (element: XmlElement, name: string) => element.children.filter((child) => child.name === name)

const badTables = ({ document }: DocxPackage) =>
  elementsNamed(document, "w:tbl").flatMap((table) => {
    const columns = elementsNamed(childrenNamed(table, "w:tblGrid")[0] ?? table, "w:gridCol").length
    return childrenNamed(table, "w:tr").flatMap((row) => {
      const cells = childrenNamed(row, "w:tc")
      const width = cells.reduce((sum, cell) => {
        const [properties] = childrenNamed(cell, "w:tcPr")
        const span = properties === undefined ? undefined : valuesOf(properties, "w:gridSpan")[0]
        return sum + Number(span ?? 1)
      }, 0)
      return [
        ...(width === columns ? [] : [`A row has ${width} columns and its table ${columns}`]),
        ...cells
          .filter((cell) => cell.children.at(-1)?.name !== "w:p")
          .map(() => "A cell does not end with a paragraph")
      ]
    })
  })

const paragraphOrder =
  "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange"
    .split(" ")
    .map((name) => `w:${name}`)

const isInOrder = (names: ReadonlyArray<string>, order: ReadonlyArray<string>) =>
  names.every(
    (name, index) => order.includes(name) && order.indexOf(name) >= order.indexOf(names[index - 1] ?? order[0] ?? "")
  )

const badParagraphs = ({ document }: DocxPackage) =>
  elementsNamed(document, "w:p").flatMap((paragraph) => {
    const at = paragraph.children.findIndex(({ name }) => name === "w:pPr")
    const names = (paragraph.children[at]?.children ?? []).map(({ name }) => name)
    const runs = childrenNamed(paragraph, "w:r")
    return [
      ...(at > 0 ? ["The properties of a paragraph do not come first"] : []),
      ...(isInOrder(names, paragraphOrder)
        ? []
        : [`The properties of a paragraph are in no order: ${names.join(" ")}`]),
      ...runs
        .filter(({ children }) => children.some(({ name }, index) => name === "w:rPr" && index > 0))
        .map(() => "The properties of a run do not come first")
    ]
  })

const badReferences = ({ document }: DocxPackage) => {
  const bookmarks = valuesOf(document, "w:bookmarkStart", "w:name")
  return [
    ...doubled(bookmarks).map((name) => `The bookmark ${name} is there twice`),
    ...doubled(valuesOf(document, "w:bookmarkStart", "w:id")).map((id) => `The bookmark id ${id} is there twice`),
    ...doubled(valuesOf(document, "wp:docPr", "id")).map((id) => `The picture id ${id} is there twice`),
    ...valuesOf(document, "w:hyperlink", "w:anchor")
      .filter((anchor) => !bookmarks.includes(anchor))
      .map((anchor) => `A link leads to ${anchor}, which is nowhere`)
  ]
}

const badPictures = ({ bytes }: DocxPackage) =>
  [...bytes]
    .filter(([name]) => name.startsWith("word/media/"))
    .filter(([name, content]) => {
      const type = pictureTypeOf(content)
      return name.endsWith(".png") ? type !== "image/png" : type !== "image/jpeg"
    })
    .map(([name]) => `${name} is another kind of picture`)

const leftovers = ({ xml }: DocxPackage) =>
  [...xml].flatMap(([name, root]) =>
    /[\ufdd0-\ufdef]/.test(
      everyElement(root)
        .map(({ attributes, text }) => text + Object.values(attributes).join(""))
        .join("")
    )
      ? [`${name} holds a stand-in`]
      : []
  )

/** Everything that would make Word offer to repair the document; empty when it opens as it is. */
export const problemsOf = (docx: DocxPackage): ReadonlyArray<string> =>
  [untyped, badRelations, badLists, badStyles, badTables, badParagraphs, badReferences, badPictures, leftovers].flatMap(
    (check) => check(docx)
  )

export const picturesIn = ({ names }: DocxPackage) => names.filter((name) => name.startsWith("word/media/"))

/** The text of every paragraph, in order. */
export const paragraphsIn = (root: XmlElement) => elementsNamed(root, "w:p").map(textIn)

/** Everything that a reader can read, headers and footers too. */
export const wordsIn = ({ xml }: DocxPackage) =>
  [...xml]
    .filter(([name]) => /^word\/(?:document|header\d*|footer\d*)\.xml$/.test(name))
    .map(([, root]) => paragraphsIn(root).join("\n"))
    .join("\n")
