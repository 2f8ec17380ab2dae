import type { IncomingMessage } from "node:http"
import { Multipart } from "@effect/platform"
import { Effect, Inspectable, Option, Stream } from "effect"
import { type FormEvent, formEvents, type NextEvent } from "./FormEvents.ts"
import { drop, piecesOf } from "./RequestBody.ts"

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
  constructor(
    readonly key: string,
    readonly contentType: string,
    readonly name: string,
    readonly content: Multipart.File["content"],
    readonly contentEffect: Multipart.File["contentEffect"]
  ) {
    super()
  }
  toJSON() {
    return { _tag: this._tag, key: this.key, contentType: this.contentType, name: this.name }
  }
}

/** The bytes of the current file. */
const contentIn = (next: NextEvent) => {
  const piece: Effect.Effect<Uint8Array, Option.Option<Multipart.MultipartError>> = Effect.flatMap(next, (event) =>
    event._tag === "Bytes" ? Effect.succeed(event.bytes) : Effect.fail(Option.none())
  )
  const whole: Multipart.File["contentEffect"] = Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    return piece.pipe(
      Effect.map((bytes) => pieces.push(bytes)),
      Effect.forever,
      Effect.catchAll((end) => (Option.isNone(end) ? Effect.succeed(Buffer.concat(pieces)) : Effect.fail(end.value)))
    )
  })
  return { content: Stream.repeatEffectOption(piece), whole }
}

/**
 * The parts of a form, one after the other. The content of a file can be read until the next part is requested; what is
 * left unread is skipped.
 */
export const partsOf = (next: NextEvent) => {
  const { content, whole } = contentIn(next)
  const nextPart: Effect.Effect<Multipart.Part, Option.Option<Multipart.MultipartError>> = Effect.flatMap(
    next,
    (event) => {
      switch (event._tag) {
        case "Field":
          return Effect.succeed(new FieldPart(event.info.name, event.info.contentType, event.value))
        case "FileBegins": {
          const { contentType, filename = "", name } = event.info
          return Effect.succeed(new FilePart(name, contentType, filename, content, whole))
        }
        default:
          return nextPart
      }
    }
  )
  return Stream.repeatEffectOption(nextPart)
}

/** Streams the parts of a form as it arrives, without buffering it, however large it is. `see` observes it. */
export const streamParts = (
  source: IncomingMessage,
  contentType: string,
  largest: number,
  see?: (event: FormEvent) => void
) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const config = yield* Multipart.makeConfig({ "content-type": contentType })
      return partsOf(formEvents(Effect.orDie(yield* piecesOf(source, largest)), config, see))
    })
  ).pipe(Stream.ensuring(Effect.sync(() => drop(source))))
