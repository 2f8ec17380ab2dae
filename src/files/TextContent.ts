import { Either } from "effect"

const isUtf16 = (bytes: Uint8Array) =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

// Tab, line feed, form feed, carriage return and the escape of coloured logs.
const spacing = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])

/** Whether bytes read as text: in any encoding that includes ASCII, or in UTF-16 with a byte order mark. */
export const isText = (bytes: Uint8Array) =>
  isUtf16(bytes) || bytes.every((byte) => (byte >= 0x20 && byte !== 0x7f) || spacing.has(byte))

/** Whether bytes are UTF-8; an incomplete piece may end within a character. */
export const isUtf8 = (bytes: Uint8Array, isWhole: boolean) =>
  Either.isRight(Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole })))

/** Whether the file is a program that a system runs by its first line (#!). */
export const isScript = (bytes: Uint8Array) => {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return bytes[start] === 0x23 && bytes[start + 1] === 0x21
}
