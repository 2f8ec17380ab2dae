const isUtf16 = (bytes: Uint8Array) =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

// Tab, line feed, form feed, carriage return and the escape of coloured logs.
const spacing = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b])

/** Whether bytes read as text: in any encoding that has ASCII inside, or in UTF-16 with its mark. */
export const isText = (bytes: Uint8Array) =>
  isUtf16(bytes) || bytes.every((byte) => (byte >= 0x20 && byte !== 0x7f) || spacing.has(byte))

/** Whether it is a program that a system starts by its first line. */
export const isScript = (bytes: Uint8Array) => {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  return bytes[start] === 0x23 && bytes[start + 1] === 0x21
}
