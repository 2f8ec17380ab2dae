import type { IncomingMessage } from "node:http"
import { Multipart } from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Inspectable, Option, Stream } from "effect"
import { type FormEvent, formEvents } from "./FormEvents.ts"
import { brokenOff, drop, tooLarge } from "./RequestBody.ts"

class FieldPart extends Inspectable.Class implements Multipart.Field {
  readonly [Multipart.TypeId]: Multipart.TypeId = Multipart.TypeId
  readonly _tag = "Field"
  constructor(
    readonly key: string,
    readonly contentType: string,
    readonly value: string
  ) {
    super()
  }
  toJSON() {
    return { _tag: this._tag, key: this.key, contentType: this.contentType }
  }
}

class FilePart extends Inspectable.Class implements Multipart.File {
  readonly [Multipart.TypeId]: Multipart.TypeId = Multipart.TypeId
  readonly _tag = "File"
  readonly contentEffect: Multipart.File["contentEffect"]
  constructor(
    readonly key: string,
    readonly contentType: string,
    readonly name: string,
    readonly content: Multipart.File["content"]
  ) {
    super()
    this.contentEffect = Effect.map(Stream.runCollect(content), (chunks) => Buffer.concat([...chunks]))
  }
  toJSON() {
    return { _tag: this._tag, key: this.key, contentType: this.contentType, name: this.name }
  }
}

/** The bytes of a body as they arrive, up to a size. The connection stays for the answer. */
const bytesOf = (source: IncomingMessage, largest: number) =>
  Number(source.headers["content-length"] ?? 0) > largest
    ? Stream.die(tooLarge(largest))
    : NodeStream.fromReadable<unknown, Uint8Array>(
        () => source,
        () => brokenOff,
        { closeOnDone: false }
      ).pipe(
        Stream.orDie,
        Stream.mapAccumEffect(0, (size, chunk) => {
          const sum = size + chunk.length
          return sum > largest ? Effect.die(tooLarge(largest)) : Effect.succeed([sum, chunk] as const)
        })
      )

/**
 * The parts of a form, one after the other. The content of a file is there as long as no later part is asked for; what
 * nobody reads of it is skipped.
 */
export const partsOf = (events: Stream.Stream<FormEvent, Multipart.MultipartError>) =>
  Stream.unwrapScoped(
    Effect.map(Stream.toPull(events), (pull) => {
      const waiting: Array<FormEvent> = []
      const next: Effect.Effect<FormEvent, Option.Option<Multipart.MultipartError>> = Effect.suspend(() => {
        const event = waiting.shift()
        if (event !== undefined) return Effect.succeed(event)
        return Effect.flatMap(pull, (more) => {
          waiting.push(...more)
          return next
        })
      })
      const content = Stream.repeatEffectOption(
        Effect.flatMap(next, (event) =>
          event._tag === "Bytes" ? Effect.succeed(event.bytes) : Effect.fail(Option.none())
        )
      )
      const nextPart: Effect.Effect<Multipart.Part, Option.Option<Multipart.MultipartError>> = Effect.flatMap(
        next,
        (event) => {
          switch (event._tag) {
            case "Field":
              return Effect.succeed(new FieldPart(event.info.name, event.info.contentType, event.value))
            case "FileBegins": {
              const { contentType, filename = "", name } = event.info
              return Effect.succeed(new FilePart(name, contentType, filename, content))
            }
            default:
              return nextPart
          }
        }
      )
      return Stream.repeatEffectOption(nextPart)
    })
  )

/** The parts of a form while it arrives: nothing of it is held, however large it is. Somebody may look on. */
export const streamParts = (
  source: IncomingMessage,
  contentType: string,
  largest: number,
  see?: (event: FormEvent) => void
) =>
  Stream.unwrap(
    Effect.map(Multipart.makeConfig({ "content-type": contentType }), (config) => {
      const events = formEvents(bytesOf(source, largest), config)
      return partsOf(see === undefined ? events : Stream.tap(events, (event) => Effect.sync(() => see(event))))
    })
  ).pipe(Stream.ensuring(Effect.sync(() => drop(source))))
