import { type IPatch, Paragraph, PatchType, TextRun } from "docx"
import type JSZip from "jszip"
import { addPictureRelations, isText, linkPictures } from "./PictureParts.ts"
import { inSlices } from "./Slices.ts"
import { withoutStandIns } from "./WordText.ts"
import { standingFor } from "./WordXml.ts"

/** Writes what goes into a placeholder; for one within a line it gets the properties of the text there. */
export type Content = (properties: string) => Iterable<string>

const markerName = (name: string) => `casework-${name}`

const marker = /<casework-(\w+)(?:\/>|>(.*?)<\/casework-\1>)/gs

/** Has the patcher put a marker where blocks of text go; they themselves come later. */
export const blocksLater = (name: string): IPatch => ({
  type: PatchType.DOCUMENT,
  children: [standingFor(new Paragraph(""), markerName(name))]
})

/** The same within a line. Into the marker the patcher puts the properties of the text in which it stands. */
export const runsLater = (name: string): IPatch => ({
  type: PatchType.PARAGRAPH,
  children: [standingFor(new TextRun(""), markerName(name))]
})

interface Filling {
  readonly bytes: ReadonlyArray<Uint8Array>
  readonly pictures: ReadonlySet<string>
}

/** The bytes of a text, its pictures linked. That comes first: a value may look like the name of a picture. */
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

/** Nothing else is written anew: what the patcher could not read is not ours to touch. */
const isUnfinished = (xml: string) => /<casework-|"rId\{|[\ufdd0-\ufdef]/.test(xml)

/** Puts the contents where their markers are, and ties all pictures to files of the package; answers their names. */
export const fillPlaceholders = async (
  parts: JSZip,
  contents: Readonly<Record<string, Content>>,
  signal: AbortSignal
): Promise<ReadonlySet<string>> => {
  const all = new Set<string>()
  const known = new Map<string, Promise<Filling>>()

  /** A placeholder that a template repeats is written once: its lists and pictures keep their numbers. */
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
