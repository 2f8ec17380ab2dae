import { type IPatch, Paragraph, PatchType, TextRun } from "docx"
import type JSZip from "jszip"
import { addPictureRelations, isText, linkPictures } from "./PictureParts.ts"
import { inSlices } from "./Slices.ts"
import { withoutStandIns } from "./WordText.ts"
import { standingFor } from "./WordXml.ts"

/** Writes the content of a placeholder; for one within a line it receives the properties of the surrounding text. */
export type Content = (properties: string) => Iterable<string>

const markerName = (name: string) => `casework-${name}`

const marker = /<casework-(\w+)(?:\/>|>(.*?)<\/casework-\1>)/gs

/** Lets the patcher put a marker where blocks of text go; the blocks themselves are inserted later. */
export const blocksLater = (name: string): IPatch => ({
  type: PatchType.DOCUMENT,
  children: [standingFor(new Paragraph(""), markerName(name))]
})

/** The same within a line. The patcher puts the properties of the surrounding text into the marker. */
export const runsLater = (name: string): IPatch => ({
  type: PatchType.PARAGRAPH,
  children: [standingFor(new TextRun(""), markerName(name))]
})

interface Filling {
  readonly bytes: ReadonlyArray<Uint8Array>
  readonly pictures: ReadonlySet<string>
}

/**
 * Returns the bytes of a text with its pictures linked. Linking comes first, because a value may look like the name of
 * a picture.
 */
const finished = async (pieces: Iterable<string>, signal: AbortSignal): Promise<Filling> => {
  const bytes: Array<Uint8Array> = []
  const pictures = new Set<string>()
  for await (const slice of inSlices(pieces, signal)) {
    const linked = linkPictures(slice)
    for (const picture of linked.pictures) pictures.add(picture)
    bytes.push(Buffer.from(withoutStandIns(linked.xml)))
  }
  return { bytes, pictures }
}

/** Parts without any of these are not rewritten: content that the patcher could not read must stay untouched. */
const isUnfinished = (xml: string) => /<casework-|"rId\{|[\ufdd0-\ufdef]/.test(xml)

/**
 * Puts the contents in place of their markers and links all pictures to files of the package; returns the pictures'
 * names.
 */
export const fillPlaceholders = async (
  parts: JSZip,
  contents: Readonly<Record<string, Content>>,
  signal: AbortSignal
): Promise<ReadonlySet<string>> => {
  const all = new Set<string>()
  const known = new Map<string, Promise<Filling>>()

  /** A placeholder that a template repeats is written only once, so that its lists and pictures keep their numbers. */
  const fillingOf = (written: string, name: string, properties: string) => {
    const filling = known.get(written) ?? finished(contents[name]?.(properties) ?? [], signal)
    known.set(written, filling)
    return filling
  }

  const fillingsIn = async (xml: string) => {
    const fillings: Array<Filling> = []
    let end = 0
    for (const { 0: written, 1: name = "", 2: properties = "", index } of xml.matchAll(marker)) {
      fillings.push(await finished([xml.slice(end, index)], signal), await fillingOf(written, name, properties))
      end = index + written.length
    }
    return [...fillings, await finished([xml.slice(end)], signal)]
  }

  for (const part of Object.values(parts.files).filter(({ name }) => isText(name))) {
    const xml = await part.async("text")
    if (!isUnfinished(xml)) continue
    const fillings = await fillingsIn(xml)
    parts.file(part.name, Buffer.concat(fillings.flatMap(({ bytes }) => bytes)))
    const pictures = new Set(fillings.flatMap((filling) => [...filling.pictures]))
    if (pictures.size > 0) await addPictureRelations(parts, part.name, [...pictures])
    for (const picture of pictures) all.add(picture)
  }
  return all
}
