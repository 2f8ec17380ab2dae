import type { Socket } from "node:net"
import { Effect } from "effect"
import sharp from "sharp"
import { type Answer, clientOf, send, tokenOf } from "../support/TestApp.ts"

export const reportsPath = "/api/PlaceDescriptionReports"

/** A report of Acme with one room, for a test of its own. */
export const newRoom = (
  room: { readonly name?: string; readonly transcriptRaw?: string } = {},
  username = "acme-admin"
) =>
  Effect.gen(function* () {
    const { placeDescriptionReports, placeDescriptionRooms } = yield* clientOf(username)
    const report = yield* placeDescriptionReports.createPlaceDescriptionReport({ payload: {} })
    const reportID = report.placeDescriptionReportID
    const made = yield* placeDescriptionRooms.createPlaceDescriptionRoom({
      path: { reportId: reportID },
      payload: { name: "Kitchen", ...room }
    })
    return { reportID, roomID: made.placeDescriptionRoomID }
  })

export interface Picture {
  readonly name?: string
  readonly type?: string
  readonly bytes: Uint8Array
}

export const formOf = (pictures: ReadonlyArray<Picture>, field = "files") => {
  const form = new FormData()
  for (const { bytes, name = "photo.jpg", type = "image/jpeg" } of pictures) {
    form.append(field, new File([bytes], name, { type }))
  }
  return form
}

export const upload = (
  roomID: number,
  body: NonNullable<RequestInit["body"]>,
  username = "acme-admin",
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.flatMap(tokenOf(username), (token) =>
    send("POST", `/api/PlaceDescriptionRooms/${roomID}/photos`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      body
    })
  )

/** A picture with edges, so that it can be recognised and has some size. */
export const draw = (width: number, height: number, format: "jpeg" | "png" | "webp" = "jpeg") =>
  Effect.promise(() =>
    sharp({
      create: { width, height, channels: 3, background: "#336699" }
    })
      .composite([
        {
          input: Buffer.from(
            `<svg width="${width}" height="${height}"><rect width="${width / 2}" height="${height / 2}" fill="#ffcc00"/></svg>`
          )
        }
      ])
      .toFormat(format)
      .toBuffer()
  )

export interface PhotoRow {
  readonly placeDescriptionRoomPhotoID: number
  readonly fileName: string
  readonly contentType: string
  readonly accessToken: string
  readonly sortOrder: number
  readonly widthPx: number
  readonly heightPx: number
}

const isPhotoRows = (json: unknown): json is ReadonlyArray<PhotoRow> => Array.isArray(json)

/** The rows that an upload returned; dies when it was refused. */
export const rowsOf = ({ json, status, text }: Answer): Effect.Effect<ReadonlyArray<PhotoRow>> =>
  status === 200 && isPhotoRows(json) ? Effect.succeed(json) : Effect.dieMessage(`Answered ${status}: ${text}`)

/** The beginning of a file in a form that is written by hand. */
export const formPart = (name: string, type = "image/jpeg") =>
  `--b\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`

/** Begins to send photos, and announces more bytes than will come. */
export const beginUpload = (socket: Socket, roomID: number, body: string) =>
  Effect.map(tokenOf("acme-admin"), (token) =>
    socket.write(
      [
        `POST /api/PlaceDescriptionRooms/${roomID}/photos HTTP/1.1`,
        "Host: x",
        `Authorization: Bearer ${token}`,
        "Content-Type: multipart/form-data; boundary=b",
        "Content-Length: 20000000",
        "",
        body
      ].join("\r\n")
    )
  )
