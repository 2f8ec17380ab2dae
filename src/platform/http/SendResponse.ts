import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Cookies } from "@effect/platform"
import { Effect, Stream } from "effect"
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

const drained = (to: ServerResponse) =>
  Effect.async<void>((resume) => {
    const onDrain = () => resume(Effect.void)
    to.once("drain", onDrain)
    return Effect.sync(() => to.off("drain", onDrain))
  })

/** Piece by piece, no faster than they are read. */
const pump = <E>(to: ServerResponse, pieces: Stream.Stream<Uint8Array, E>) =>
  Stream.runForEachChunk(pieces, (chunk) => {
    let isTaken = true
    for (const piece of chunk) isTaken = to.write(piece)
    return isTaken ? Effect.void : drained(to)
  }).pipe(
    Effect.zipRight(Effect.sync(() => to.end())),
    Effect.catchAllCause((cause) => {
      // An answer that breaks off must not look like a whole one.
      to.destroy()
      return Effect.logWarning("an answer broke off", cause)
    })
  )

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
  else if (body._tag === "Stream") return pump(to, body.stream)
  else if (body._tag === "Raw" && body.body instanceof Readable) {
    const source = body.body
    return Effect.ignore(Effect.tryPromise((signal) => pipeline(source, to, { signal })))
  } else if (body._tag === "Raw") to.end(body.body)
  else to.destroy(new Error("No answer is a form."))
  return undefined
}
