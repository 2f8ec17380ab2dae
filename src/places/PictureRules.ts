import type { PictureType } from "./ImageProcessor.ts"

const longest = 2048
const shortest = 768

export const largestPicture = 5 * 1024 * 1024

const startsWith = (bytes: Uint8Array, start: ReadonlyArray<number>, at = 0) =>
  start.every((byte, index) => bytes[at + index] === byte)

/** Returns the type of a picture by its first bytes, whatever the file is called. */
export const pictureTypeOf = (bytes: Uint8Array): PictureType | undefined => {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg"
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png"
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, [0x57, 0x45, 0x42, 0x50], 8)) return "image/webp"
  return undefined
}

/** The largest size that a picture of these proportions may have, landscape or portrait. */
export const fittingBox = ({ height, width }: { readonly width: number; readonly height: number }) =>
  width >= height ? { width: longest, height: shortest } : { width: shortest, height: longest }
