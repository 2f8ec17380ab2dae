import type { IncomingMessage } from "node:http"
import { Effect, Option } from "effect"
import { BadRequest, PayloadTooLarge } from "../../../schema/Errors.ts"

export const largestJson = 1024 * 1024

const tooLarge = (largest: number) =>
  new PayloadTooLarge({ message: `The body is too large: this route accepts up to ${largest / largestJson} MiB.` })

const brokenOff = new BadRequest({ message: "The body ended before it was complete. Send it again." })

/** Reads and drops the rest of a refused body, so that the client gets the response and not a reset connection. */
export const drop = (source: IncomingMessage) => {
  source.on("error", () => undefined)
  source.resume()
}

/** Reads a body up to a size, whether or not it declares its length. */
export const readBody = (source: IncomingMessage, largest: number) =>
  Effect.async<Buffer, PayloadTooLarge | BadRequest>((resume) => {
    if (Number(source.headers["content-length"] ?? 0) > largest) {
      drop(source)
      return resume(Effect.fail(tooLarge(largest)))
    }
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = () => {
      source.off("data", onData)
      source.off("end", onEnd)
      source.off("close", onClose)
      drop(source)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= largest) return chunks.push(chunk)
      stop()
      return resume(Effect.fail(tooLarge(largest)))
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(Buffer.concat(chunks)))
    }
    const onClose = () => {
      stop()
      resume(Effect.fail(brokenOff))
    }
    if (source.destroyed && !source.readableEnded) return onClose()
    source.on("error", () => undefined)
    source.on("data", onData)
    source.on("end", onEnd)
    source.on("close", onClose)
    return Effect.sync(stop)
  })

/** The next piece of a body that has arrived; none at its end, undefined while there is nothing yet. */
const arrived = (source: IncomingMessage) => {
  const piece: Buffer | null = source.read()
  if (piece !== null) return Effect.succeedSome(piece)
  if (source.readableEnded) return Effect.succeedNone
  return source.destroyed ? Effect.fail(brokenOff) : undefined
}

const arrivals = ["readable", "end", "error", "close"] as const

/**
 * Yields the next piece of a body each time it runs, up to a total size; none at the end. The connection stays open for
 * the response.
 */
export const piecesOf = (source: IncomingMessage, largest: number) =>
  Effect.suspend(() => {
    let wake = () => {}
    let size = 0
    const arrive = () => wake()
    const listening = Effect.acquireRelease(
      Effect.sync(() => {
        for (const name of arrivals) source.on(name, arrive)
      }),
      () =>
        Effect.sync(() => {
          for (const name of arrivals) source.off(name, arrive)
        })
    )
    const next = Effect.async<Option.Option<Buffer>, BadRequest>((resume) => {
      wake = () => {
        const found = arrived(source)
        if (found === undefined) return
        wake = () => {}
        resume(found)
      }
      wake()
    })
    const fits = (piece: Option.Option<Buffer>) => {
      size += Option.match(piece, { onNone: () => 0, onSome: ({ length }) => length })
      return size <= largest
    }
    const tooMuch = () => tooLarge(largest)
    return Effect.as(
      listening,
      Number(source.headers["content-length"] ?? 0) > largest
        ? Effect.fail(tooMuch())
        : Effect.filterOrFail(next, fits, tooMuch)
    )
  })

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The body as text; a byte order mark is left out. */
export const decodeText = (bytes: Buffer): Effect.Effect<string, BadRequest> => {
  try {
    return Effect.succeed(utf8.decode(bytes))
  } catch {
    return BadRequest.of("The body is not valid UTF-8.")
  }
}
