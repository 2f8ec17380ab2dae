import { Multipart } from "@effect/platform"
import { Effect, Option } from "effect"
import * as Parser from "multipasta"
import { named } from "./PartNames.ts"

/** What happens while a form arrives. */
export type FormEvent =
  | { readonly _tag: "Field"; readonly info: Parser.PartInfo; readonly value: string }
  | { readonly _tag: "FileBegins"; readonly info: Parser.PartInfo }
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "FileEnds" }

const reasons = {
  MaxParts: "TooManyParts",
  MaxFieldSize: "FieldTooLarge",
  MaxPartSize: "FileTooLarge",
  MaxTotalSize: "BodyTooLarge"
} as const

const asError = (cause: Parser.MultipartError) =>
  new Multipart.MultipartError({ reason: cause._tag === "ReachedLimit" ? reasons[cause.limit] : "Parse", cause })

const dash = 0x2d

/** The number of dashes at the end of a chunk, two at most. */
const openEnd = (chunk: Uint8Array) => {
  if (chunk.at(-1) !== dash) return 0
  return chunk.at(-2) === dash ? 2 : 1
}

/** Wraps the parser in a plain function from each chunk of a form to its events. */
const makeFeed = (config: Parser.BaseConfig) => {
  const events: Array<FormEvent> = []
  let problem: Parser.MultipartError | undefined
  let isDone = false
  let held: Uint8Array = new Uint8Array()
  // Bytes after the last boundary are ignored.
  const happen = (event: FormEvent) => (isDone ? 0 : events.push(event))
  const parser = Parser.make({
    ...config,
    // Includes JSON files, which the library would take for fields.
    isFile: (info) => Parser.defaultIsFile(named(info)),
    onField: (info, value) => happen({ _tag: "Field", info: named(info), value: Parser.decodeField(info, value) }),
    onFile: (info) => {
      happen({ _tag: "FileBegins", info: named(info) })
      return (bytes) => happen(bytes === null ? { _tag: "FileEnds" } : { _tag: "Bytes", bytes })
    },
    onError: (error) => {
      problem ??= isDone ? undefined : error
    },
    onDone: () => {
      isDone = true
    }
  })
  const write = (chunk: Uint8Array) => {
    const whole = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    // The parser does not recognise the last boundary if a chunk ends between its two dashes, so those are held back.
    const end = whole.length - openEnd(whole)
    held = whole.subarray(end)
    if (end > 0) parser.write(whole.subarray(0, end))
  }
  const finish = () => {
    parser.write(held)
    parser.end()
    if (!isDone) problem ??= { _tag: "EndNotReached" }
  }
  return (chunk: Option.Option<Uint8Array>): Effect.Effect<Array<FormEvent>, Multipart.MultipartError> => {
    try {
      Option.match(chunk, { onNone: finish, onSome: write })
    } catch (cause) {
      // A file name could not be decoded.
      return Effect.fail(new Multipart.MultipartError({ reason: "Parse", cause }))
    }
    return problem === undefined ? Effect.succeed(events.splice(0)) : Effect.fail(asError(problem))
  }
}

/**
 * Yields the next event each time it runs, and fails with none at the end. A stream would cost a request many times as
 * much as the parser.
 */
export type NextEvent = Effect.Effect<FormEvent, Option.Option<Multipart.MultipartError>>

/** Parses a form as it arrives, while `see` observes it. Fails if the form is broken or ends too early. */
export const formEvents = (
  nextPiece: Effect.Effect<Option.Option<Uint8Array>>,
  config: Parser.BaseConfig,
  see: (event: FormEvent) => void = () => undefined
): NextEvent => {
  const feed = makeFeed(config)
  let waiting: ReadonlyArray<FormEvent> = []
  let at = 0
  let isOver = false
  const more = Effect.flatMap(nextPiece, (piece) => {
    isOver = Option.isNone(piece)
    return Effect.mapError(feed(piece), Option.some)
  })
  const next: NextEvent = Effect.suspend(() => {
    const event = waiting[at]
    if (event !== undefined) {
      at += 1
      see(event)
      return Effect.succeed(event)
    }
    if (isOver) return Effect.fail(Option.none())
    return Effect.flatMap(more, (events) => {
      waiting = events
      at = 0
      return next
    })
  })
  return next
}
