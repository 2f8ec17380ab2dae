import { randomBytes } from "node:crypto"
import type { Socket } from "node:net"
import { Deferred, Effect, Queue } from "effect"
import { openSocket } from "../http/RawRequest.ts"
import { nextOf } from "./NextOf.ts"

export const separator = "\u001e"
export const handshake = `{"protocol":"json","version":1}${separator}`

/** An event pushed to a client rather than a reply: it may come at any time, even about earlier things. */
const isTold = (record: string) => record.startsWith('{"type":1,')

const mask = Buffer.from([1, 2, 3, 4])

const header = (opcode: number, length: number, isLast: boolean) => {
  const first = (isLast ? 0x80 : 0) | opcode
  if (length < 126) return Buffer.from([first, 0x80 | length])
  if (length < 65_536) return Buffer.from([first, 0x80 | 126, length >> 8, length & 255])
  const long = Buffer.alloc(10)
  long.writeUInt8(first, 0)
  long.writeUInt8(0x80 | 127, 1)
  long.writeBigUInt64BE(BigInt(length), 2)
  return long
}

/** A frame as a client sends it; it may promise more bytes than it holds. */
export const frame = (
  payload: string | Buffer,
  options: { readonly opcode?: number; readonly isLast?: boolean; readonly promised?: number } = {}
) => {
  const { isLast = true, opcode = typeof payload === "string" ? 1 : 2 } = options
  const bytes = Buffer.from(payload)
  const masked = bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0))
  return Buffer.concat([header(opcode, options.promised ?? bytes.length, isLast), mask, masked])
}

/** Parses the server's frames: texts, and the close. */
const readFrames = (socket: Socket, onText: (text: string) => void) => {
  let waiting = Buffer.alloc(0)
  socket.on("data", (chunk) => {
    waiting = Buffer.concat([waiting, chunk])
    for (;;) {
      const short = (waiting[1] ?? 0) & 127
      const start = short === 126 ? 4 : short === 127 ? 10 : 2
      if (waiting.length < start) return
      const length =
        short === 126 ? waiting.readUInt16BE(2) : short === 127 ? Number(waiting.readBigUInt64BE(2)) : short
      if (waiting.length < start + length) return
      const opcode = (waiting[0] ?? 0) & 15
      if (opcode === 1) onText(waiting.subarray(start, start + length).toString())
      if (opcode === 8) socket.end(frame("", { opcode: 8 }))
      waiting = waiting.subarray(start + length)
    }
  })
}

/** A connection to the hub that can send whatever it likes. */
export const rawHub = (query: string, headers: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const socket = yield* openSocket
    const records = yield* Queue.unbounded<string>()
    const upgraded = yield* Deferred.make<string>()
    const closed = yield* Deferred.make<void>()
    socket.once("close", () => Deferred.unsafeDone(closed, Effect.void))
    socket.once("data", (chunk) => {
      const end = chunk.indexOf("\r\n\r\n") + 4
      readFrames(socket, (text) => {
        for (const record of text.split(separator).slice(0, -1)) {
          if (!isTold(record)) records.unsafeOffer(record + separator)
        }
      })
      if (end < chunk.length) socket.emit("data", chunk.subarray(end))
      Deferred.unsafeDone(upgraded, Effect.succeed(chunk.subarray(0, end).toString()))
    })
    socket.write(
      [
        `GET /chatHub${query} HTTP/1.1`,
        "Host: x",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        ...headers,
        "",
        ""
      ].join("\r\n")
    )
    const closedEarly = Effect.zipRight(Deferred.await(closed), Effect.dieMessage("It was closed without an answer."))
    const answer = yield* Effect.raceFirst(Deferred.await(upgraded), closedEarly)
    return {
      socket,
      answer,
      send: (...frames: ReadonlyArray<Buffer>) => Effect.sync(() => socket.write(Buffer.concat(frames))),
      /** The next record that is a reply rather than an event. */
      next: nextOf(records, Effect.as(Deferred.await(closed), "its socket is closed")),
      closed: Deferred.await(closed)
    }
  })
