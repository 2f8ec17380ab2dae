import type { ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Cookies } from "@effect/platform"
import { Effect, Predicate, Stream } from "effect"
import { untilDrained } from "../Drained.ts"
import type { Outgoing } from "./Conventions.ts"

const withCookies = ({ headers, response: { cookies } }: Outgoing) =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

/** Up to here copying a body is quicker than sending it apart from its headers. */
const mostInOnePiece = 32 * 1024

/** Headers and a text leave in one piece, headers and bytes in two. Latin-1 gives each byte a character of its own. */
const endWith = (to: ServerResponse, bytes: Uint8Array) => {
  if (bytes.length > mostInOnePiece) to.end(bytes)
  else to.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"), "latin1")
}

/** Piece by piece, no faster than they are read. */
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

/** A body that node reads. Whoever opened it sees to it that it is closed when nobody gets the answer. */
export class ReadableBody {
  constructor(
    readonly source: Readable,
    readonly size: number
  ) {}
}

/** An answer that breaks off must not look like a whole one. */
const breakOff = (to: ServerResponse, cause: unknown) => {
  to.destroy()
  return Effect.logWarning("an answer broke off", cause)
}

/** The end of what was promised; what is less is none. */
const endAfter = (to: ServerResponse, sent: number, size: number | undefined) =>
  sent === (size ?? sent) ? Effect.sync(() => to.end()) : breakOff(to, `It has ${sent} of ${size} bytes`)

const pipe = (to: ServerResponse, { size, source }: ReadableBody) =>
  Effect.suspend(() => {
    let sent = 0
    source.on("data", (piece: Uint8Array) => {
      sent += piece.length
    })
    return Effect.tryPromise((signal) => pipeline(source, to, { signal, end: false })).pipe(
      Effect.flatMap(() => endAfter(to, sent, size)),
      Effect.catchAll(({ cause }) =>
        // Without a failed system call it was the caller who went away: nothing to report.
        Predicate.hasProperty(cause, "syscall") ? breakOff(to, cause) : Effect.void
      )
    )
  })

/**
 * Sends an answer. When all of it is there that is done at once, and nothing is left to do; what is left of one that
 * comes piece by piece is given back.
 */
export const sendResponse = (to: ServerResponse, answer: Outgoing, method: string): Effect.Effect<void> | undefined => {
  if (to.destroyed) return undefined
  const { body, status } = answer.response
  to.writeHead(status, withCookies(answer))
  if (method === "HEAD") to.end()
  else if (body._tag === "Uint8Array") endWith(to, body.body)
  else if (body._tag === "Empty") to.end()
  else if (body._tag === "Stream") return pump(to, body.stream, body.contentLength)
  else if (body._tag === "Raw" && body.body instanceof ReadableBody) return pipe(to, body.body)
  else if (body._tag === "Raw") to.end(body.body)
  else to.destroy(new Error("No answer is a form."))
  return undefined
}
