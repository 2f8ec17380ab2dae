import { randomUUID } from "node:crypto"
import { mkdir, open, rename } from "node:fs/promises"
import type { IncomingMessage } from "node:http"
import { basename, dirname } from "node:path"
import { buffer } from "node:stream/consumers"
import { make } from "multipasta/node"
import type pg from "pg"
import sharp from "sharp"
import { pathOf } from "./TwinFiles.ts"

const roomSql = `
  select 1 from place_description_room r join customer_feature f on f.customer_id = r.customer_id and f.feature = 'SchedulesOfCondition'
  where r.customer_id = $1 and r.place_description_room_id = $2`

const photoSql = `
  with stored as (insert into blob (blob_id, customer_id, size) values ($3, $1, $4) returning customer_id, blob_id),
    touched as (
      update place_description_report set modified_at = now() where customer_id = $1 and place_description_report_id = (
        select place_description_report_id from place_description_room where customer_id = $1 and place_description_room_id = $2))
  insert into place_description_room_photo (customer_id, place_description_room_id, file_name, content_type, sort_order,
    width_px, height_px, blob_id)
  select $1, $2, $5, $6, 1 + coalesce((
      select max(sort_order) from place_description_room_photo where customer_id = $1 and place_description_room_id = $2), 0),
    $7, $8, blob_id
  from stored
  returning place_description_room_photo_id as "placeDescriptionRoomPhotoID", place_description_room_id as "placeDescriptionRoomID",
    file_name as "fileName", content_type as "contentType", access_token as "accessToken", sort_order as "sortOrder",
    width_px as "widthPx", height_px as "heightPx", created_at as "dateCreatedUtc"`

/** The files of a form, each read whole: they are no larger than a request may be. */
const filesOf = async (request: IncomingMessage) => {
  const files: Array<{ readonly name: string; readonly bytes: Buffer }> = []
  for await (const part of request.pipe(make({ headers: request.headers }))) {
    if (part._tag !== "File") continue
    files.push({ name: basename(part.filename), bytes: await buffer(part) })
  }
  return files
}

const isJpeg = (bytes: Buffer) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff

/** Rotates the picture upright, fits it into the box, and drops its metadata. */
export const prepare = async (bytes: Uint8Array) => {
  const image = sharp(bytes, { limitInputPixels: 120_000_000, failOn: "error" })
  const { autoOrient } = await image.metadata()
  const box = autoOrient.width >= autoOrient.height ? { width: 2048, height: 768 } : { width: 768, height: 2048 }
  return image
    .autoOrient()
    .resize({ ...box, fit: "inside", withoutEnlargement: true })
    .jpeg({ quality: 85 })
    .toBuffer({ resolveWithObject: true })
}

/** The file gets its final name only when it is complete and on disk. */
const write = async (path: string, bytes: Buffer) => {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(`${path}.part`, "wx", 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.part`, path)
}

/** The new photos of a room; undefined when there is no such room. */
export const addPhotos = async (pool: pg.Pool, customerID: number, roomID: number, request: IncomingMessage) => {
  const room = await pool.query({ name: "room", text: roomSql, values: [customerID, roomID] })
  if (room.rowCount === 0) return undefined
  const added: Array<unknown> = []
  for (const { bytes, name } of await filesOf(request)) {
    if (!isJpeg(bytes)) throw new Error(`${name} is no picture`)
    const { data, info } = await prepare(bytes)
    const blobID = randomUUID()
    await write(pathOf(customerID, blobID), data)
    const { rows } = await pool.query<Readonly<Record<string, unknown>>>({
      name: "photo",
      text: photoSql,
      values: [customerID, roomID, blobID, data.length, name, "image/jpeg", info.width, info.height]
    })
    added.push(rows[0])
  }
  return added
}
