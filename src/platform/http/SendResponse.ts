import type { ServerResponse } from "node:http"
import { Cookies } from "@effect/platform"
import { Effect, Stream } from "effect"
import { untilDrained } from "../concurrency/Drained.ts"
import type { Outgoing } from "./Conventions.ts"

const withCookies = ({ headers, response: { cookies } }: Outgoing) =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

/** Up to this size, copying a body is quicker than sending it separately from its headers. */
const mostInOnePiece = 32 * 1024

/** Headers and a string are sent in one piece, headers and bytes in two. Latin-1 has one character for each byte. */
const endWith = (to: ServerResponse, bytes: Uint8Array) => {
  if (bytes.length > mostInOnePiece) to.end(bytes)
  else to.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"), "latin1")
}

/** Sends pieces one by one, no faster than the client reads them. */
const pump = <E>(to: ServerResponse, pieces: Stream.Stream<Uint8Array, E>, size: number | undefined) =>
  Effect.suspend(() => {
    let sent = 0
    return Stream.runForEachChunk(pieces, (chunk) => {
      let isTaken = true
      for (const piece of chunk) {
        sent += piece.length
        isTaken = to.write(piece)
      }
      return isTaken ? Effect.void : untilDrained(to, () => to.writableNeedDrain)
    }).pipe(
      Effect.flatMap(() => endAfter(to, sent, size)),
      Effect.catchAllCause((cause) => breakOff(to, cause))
    )
  })

/** A body that is read from a file as it is sent. The code that opened the file closes it with the request. */
export class FileBody {
  constructor(
    /** Reads from a position into memory, as much as there is, and returns the number of bytes. */
    readonly readInto: (memory: Uint8Array, at: number) => Promise<number>,
    readonly size: number
  ) {}
}

/** A response that breaks off must not look complete. */
const breakOff = (to: ServerResponse, cause: unknown) => {
  to.destroy()
  return Effect.logWarning("a response was cut off", cause)
}

/** Ends a response that is as long as promised; any other must not look complete. */
const endAfter = (to: ServerResponse, sent: number, size: number | undefined) =>
  sent === (size ?? sent) ? Effect.sync(() => to.end()) : breakOff(to, `Only ${sent} of ${size} bytes were sent`)

/** How much of a file is written in one go. */
const pieceSize = 256 * 1024

/** Memory that was sent completely is reused: fresh pages take the system longer than the bytes that are put there. */
const spare: Array<Uint8Array> = []
const mostSpare = 32

/** Writes a piece, waits until its memory is free again, and returns whether the client is still there. */
const isWanted = (to: ServerResponse, piece: Uint8Array) =>
  Effect.async<boolean>((resume) => {
    if (to.destroyed) resume(Effect.succeed(false))
    else to.write(piece, (error) => resume(Effect.succeed(!error)))
  })

/** Sends a file through one piece of memory: Node's own streams take fresh memory for each piece, and twice as long. */
const copy = (to: ServerResponse, { readInto, size }: FileBody) =>
  Effect.gen(function* () {
    const memory = spare.pop() ?? Buffer.allocUnsafeSlow(pieceSize)
    let sent = 0
    while (sent < size) {
      const wanted = memory.subarray(0, size - sent)
      const read = yield* Effect.tryPromise(() => readInto(wanted, sent))
      if (read === 0) break
      if (!(yield* isWanted(to, wanted.subarray(0, read)))) return
      sent += read
    }
    // Reused only here: after a failure the system may still be reading from the memory or writing to it.
    if (spare.length < mostSpare) spare.push(memory)
    yield* endAfter(to, sent, size)
  }).pipe(Effect.catchAll(({ cause }) => breakOff(to, cause)))

/**
 * Sends a response. A complete body is sent at once, with nothing left to do; for one that comes piece by piece,
 * returns the effect that sends it.
 */
export const sendResponse = (to: ServerResponse, answer: Outgoing, method: string): Effect.Effect<void> | undefined => {
  if (to.destroyed) return undefined
  const { body, status } = answer.response
  to.writeHead(status, withCookies(answer))
  if (method === "HEAD") to.end()
  else if (body._tag === "Uint8Array") endWith(to, body.body)
  else if (body._tag === "Empty") to.end()
  else if (body._tag === "Stream") return pump(to, body.stream, body.contentLength)
  else if (body._tag === "Raw" && body.body instanceof FileBody) return copy(to, body.body)
  else if (body._tag === "Raw") to.end(body.body)
  else to.destroy(new Error("A response cannot be a form."))
  return undefined
}
