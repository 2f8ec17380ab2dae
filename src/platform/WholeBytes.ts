import { Chunk, Effect, Stream } from "effect"

/** Collects all bytes of a stream, for streams that are known to be small enough. */
export const wholeOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  Effect.map(Stream.runCollect(bytes), (pieces) => Buffer.concat(Chunk.toReadonlyArray(pieces)))

/** Collects all bytes of a stream; fails if there are more than the limit, and reads no further. */
export const wholeUpTo =
  <E2>(largest: number, onMore: () => E2) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
    wholeOf(
      Stream.mapAccumEffect(bytes, 0, (before, piece) => {
        const size = before + piece.length
        return size > largest ? Effect.fail(onMore()) : Effect.succeed([size, piece] as const)
      })
    )
