import { Either } from "effect"

/** Ends every message of the protocol; JSON never contains it unescaped. */
export const recordSeparator = "\u001e"

/** In bytes, without the separator. */
export const largestRecord = 32 * 1024

interface Framed {
  readonly records: ReadonlyArray<string>
  /** The beginning of a record whose end has not arrived yet. */
  readonly rest: string
}

const isTooLarge = (text: string) =>
  text.length > largestRecord || (text.length * 3 > largestRecord && Buffer.byteLength(text) > largestRecord)

/** Splits the input into records, however the transport has chunked it; left when a record is too large. */
export const splitRecords = (rest: string, chunk: string): Either.Either<Framed, "TooLarge"> => {
  const parts = (rest + chunk).split(recordSeparator)
  if (parts.some(isTooLarge)) return Either.left("TooLarge")
  const last = parts.pop() ?? ""
  return Either.right({ records: parts, rest: last })
}
