import type JSZip from "jszip"
import type { List } from "./HtmlBlocks.ts"
import { addRelations } from "./PictureParts.ts"
import { inSlices } from "./Slices.ts"

/** Word has nine levels. */
const deepestLevel = 8

export const levelOf = ({ depth }: List) => Math.min(depth, deepestLevel)

/**
 * Gives each list of a document the number under which Word knows it. Bullet lists need no counting, so they share one.
 */
export const makeListNumbers = (bullets: number) => {
  const counted = new Map<number, { readonly id: number; readonly list: List }>()
  return {
    bullets,
    counted,
    numberOf: (list: List) => {
      if (!list.isOrdered) return bullets
      const known = counted.get(list.number) ?? { id: bullets + 1 + counted.size, list }
      counted.set(list.number, known)
      return known.id
    }
  }
}

export type ListNumbers = ReturnType<typeof makeListNumbers>

const part = "word/numbering.xml"

const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

const emptyPart = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:numbering ${namespace}></w:numbering>`

const partType = "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"

const relationType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"

const highest = (xml: string, pattern: RegExp) =>
  Math.max(0, ...Array.from(xml.matchAll(pattern), ([, id = "0"]) => Number(id)))

const levels = (describe: (level: number) => string) =>
  Array.from(
    { length: deepestLevel + 1 },
    (_, level) =>
      `<w:lvl w:ilvl="${level}"><w:start w:val="1"/>${describe(level)}<w:lvlJc w:val="left"/>` +
      `<w:pPr><w:ind w:left="${360 * (level + 1)}" w:hanging="360"/></w:pPr></w:lvl>`
  ).join("")

const bulletSigns = ["•", "–", "▪"]

const bulletLevels = levels(
  (level) => `<w:numFmt w:val="bullet"/><w:lvlText w:val="${bulletSigns[level % bulletSigns.length]}"/>`
)

const counts = ["decimal", "lowerLetter", "lowerRoman"]

const countedLevels = levels(
  (level) => `<w:numFmt w:val="${counts[level % counts.length]}"/><w:lvlText w:val="%${level + 1}."/>`
)

const abstractNumber = (id: number, content: string) =>
  `<w:abstractNum w:abstractNumId="${id}"><w:multiLevelType w:val="multilevel"/>${content}</w:abstractNum>`

const restart = (level: number, start: number) =>
  `<w:lvlOverride w:ilvl="${level}"><w:startOverride w:val="${start}"/></w:lvlOverride>`

const restarts = (list: List) =>
  Array.from({ length: deepestLevel + 1 }, (_, level) => restart(level, level === levelOf(list) ? list.start : 1)).join(
    ""
  )

const number = (id: number, abstractId: number, overrides = "") =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstractId}"/>${overrides}</w:num>`

/** Adds the numbering part to a template that was written without any list. */
const addPart = async (parts: JSZip) => {
  const types = (await parts.file("[Content_Types].xml")?.async("text")) ?? ""
  parts.file(
    "[Content_Types].xml",
    types.replace("</Types>", `<Override PartName="/${part}" ContentType="${partType}"/></Types>`)
  )
  const relation = `<Relationship Id="rIdLists" Type="${relationType}" Target="numbering.xml"/>`
  await addRelations(parts, "word/document.xml", relation)
  return emptyPart
}

/** The first list number that the template does not use. */
export const freeListNumber = async (template: JSZip) =>
  highest((await template.file(part)?.async("text")) ?? "", /w:numId="(\d+)"/g) + 1

const listsOf = function* (numbers: ListNumbers, bulletId: number) {
  yield number(numbers.bullets, bulletId)
  for (const { id, list } of numbers.counted.values()) yield number(id, bulletId + 1, restarts(list))
}

const withLists = function* (xml: string, numbers: ListNumbers) {
  const bulletId = highest(xml, /w:abstractNumId="(\d+)"/g) + 1
  const kinds = abstractNumber(bulletId, bulletLevels) + abstractNumber(bulletId + 1, countedLevels)
  const open = xml.replace(/<w:numbering([^>]*)\/>/, "<w:numbering$1></w:numbering>")
  // Word requires every kind of list to be defined before the first list.
  const firstList = open.search(/<w:num[ >]|<w:numIdMacAtCleanup|<\/w:numbering>/)
  const end = open.search(/<w:numIdMacAtCleanup|<\/w:numbering>/)
  yield open.slice(0, firstList) + kinds + open.slice(firstList, end)
  yield* listsOf(numbers, bulletId)
  yield open.slice(end)
}

/**
 * Writes into the document how its lists look and count. This runs after the patcher, which has nothing to do in that
 * part but would scan all of the lists for each placeholder.
 */
export const addLists = async (parts: JSZip, numbers: ListNumbers, signal: AbortSignal) => {
  const xml = (await parts.file(part)?.async("text")) ?? (await addPart(parts))
  const bytes: Array<Uint8Array> = []
  for await (const slice of inSlices(withLists(xml, numbers), signal)) bytes.push(Buffer.from(slice))
  parts.file(part, Buffer.concat(bytes))
}
