import { Option, Stream } from "effect"

interface Held {
  readonly parts: ReadonlyArray<Uint8Array>
  readonly length: number
  readonly emitted: boolean
}

const nothing: Held = { parts: [], length: 0, emitted: false }

/** Splits off the pieces that are full; the rest waits for more bytes. */
const cut = ({ emitted, length, parts }: Held, chunk: Uint8Array, size: number): readonly [Held, Array<Uint8Array>] => {
  if (length + chunk.length < size) return [{ parts: [...parts, chunk], length: length + chunk.length, emitted }, []]
  const whole = Buffer.concat([...parts, chunk])
  const count = Math.floor(whole.length / size)
  const full = Array.from({ length: count }, (_, index) => whole.subarray(index * size, (index + 1) * size))
  const rest = whole.subarray(count * size)
  return [{ parts: [rest], length: rest.length, emitted: emitted || count > 0 }, full]
}

const rest = ({ emitted, length, parts }: Held) => (length === 0 && emitted ? [] : [Buffer.concat(parts)])

/** The same bytes in pieces of one size, except for a shorter last one; no bytes at all become one empty piece. */
export const piecesOf = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, size: number): Stream.Stream<Uint8Array, E, R> =>
  bytes.pipe(
    Stream.map(Option.some),
    Stream.concat(Stream.succeed(Option.none())),
    Stream.mapAccum(nothing, (held, chunk) =>
      Option.match(chunk, {
        onNone: () => [nothing, rest(held)] as const,
        onSome: (more) => cut(held, more, size)
      })
    ),
    Stream.flattenIterables
  )
