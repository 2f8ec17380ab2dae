import { Chunk, Effect, Stream } from "effect"

/** All bytes of a stream in one piece: for what is known to be small enough. */
export const wholeOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
  Effect.map(Stream.runCollect(bytes), (pieces) => Buffer.concat(Chunk.toReadonlyArray(pieces)))

/** All bytes of a stream in one piece; with more than the limit it fails, and reads no further. */
export const wholeUpTo =
  <E2>(largest: number, onMore: () => E2) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
    wholeOf(
      Stream.mapAccumEffect(bytes, 0, (before, piece) => {
        const size = before + piece.length
        return size > largest ? Effect.fail(onMore()) : Effect.succeed([size, piece] as const)
      })
    )
