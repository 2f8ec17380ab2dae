import { Effect, Either, Sink, Stream } from "effect"
import { BadRequest, UnsupportedMediaType } from "../../schema/Errors.ts"
import { checkedType } from "./CheckedType.ts"
import { detectType, headSize } from "./DetectType.ts"
import { cleanFileName } from "./FileName.ts"

/** A file as its sender provides it. */
export interface SentFile<E> {
  readonly fileName: string
  /** The type that the sender declares. */
  readonly contentType: string
  readonly content: Stream.Stream<Uint8Array, E>
}

interface Head {
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly size: number
}

const takeHead = Sink.fold<Head, Uint8Array>(
  { chunks: [], size: 0 },
  ({ size }) => size < headSize,
  ({ chunks, size }, chunk) => ({ chunks: [...chunks, chunk], size: size + chunk.length })
)

/** Returns the file under a safe name with the type found in its first bytes, or refuses it. */
export const checkUpload = <E>({ content, contentType: declaredType, fileName: written }: SentFile<E>) =>
  Effect.gen(function* () {
    const [{ chunks, size }, rest] = yield* Stream.peel(content, takeHead)
    if (size === 0) return yield* BadRequest.at("file", "is empty")
    const fileName = cleanFileName(written)
    const head = Buffer.concat(chunks)
    const checked = checkedType({ fileName, declaredType, detectedType: yield* detectType(head), head })
    if (Either.isLeft(checked)) return yield* Effect.fail(new UnsupportedMediaType({ message: checked.left }))
    return { fileName, contentType: checked.right, content: Stream.concat(Stream.fromIterable(chunks), rest) }
  })
