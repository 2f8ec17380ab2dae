import { Cause, Chunk, type Effect, Option, Stream } from "effect"
import { BytesMissing } from "../platform/BlobTrouble.ts"

const isMissing = (defect: unknown): defect is BytesMissing => defect instanceof BytesMissing

/** The bytes of a blob as far as the store still has them; the effect runs if it has lost some. */
export const keptBytes = (
  bytes: Stream.Stream<Uint8Array>,
  onMissing: (missing: BytesMissing) => Effect.Effect<unknown>
) =>
  Stream.catchSomeCause(bytes, (cause) =>
    Option.map(Chunk.findFirst(Cause.defects(cause), isMissing), (missing) =>
      Stream.drain(Stream.fromEffect(onMissing(missing)))
    )
  )
