import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Cookies, type HttpServerResponse } from "@effect/platform"
import { Effect, Stream } from "effect"

const headersOf = ({ cookies, headers }: HttpServerResponse.HttpServerResponse) =>
  Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }

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
export const sendResponse = (
  to: ServerResponse,
  response: HttpServerResponse.HttpServerResponse,
  method: string
): Effect.Effect<void> | undefined => {
  if (to.destroyed) return undefined
  const { body } = response
  to.writeHead(response.status, headersOf(response))
  if (method === "HEAD") to.end()
  else if (body._tag === "Uint8Array") to.end(body.body)
  else if (body._tag === "Empty") to.end()
  else if (body._tag === "Stream") return pump(to, body.stream)
  else if (body._tag === "Raw" && body.body instanceof Readable) {
    const source = body.body
    return Effect.ignore(Effect.tryPromise((signal) => pipeline(source, to, { signal })))
  } else if (body._tag === "Raw") to.end(body.body)
  else to.destroy(new Error("No answer is a form."))
  return undefined
}
