/** Whether a JPEG segment states the size; other segments contain other things. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

const sizeOfJpeg = (view: DataView) => {
  let at = 2
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    if (isFrame(view.getUint8(at + 1))) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const sizeOfWebp = (view: DataView) => {
  switch (view.getUint32(12)) {
    // "VP8X": two numbers of 24 bits, each one less than the size
    case 0x56503858:
      return {
        width: 1 + (view.getUint32(24, true) & 0xffffff),
        height: 1 + (view.getUint32(26, true) >>> 8)
      }
    // "VP8L": of 14 bits
    case 0x5650384c: {
      const bits = view.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    // "VP8 "
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return undefined
  }
}

/**
 * The size that a picture's header states. Drawing it first would reveal the size too late: a small file may hold more
 * than memory can.
 */
export const pictureSize = (bytes: ArrayBuffer) => {
  if (bytes.byteLength < 30) return undefined
  const view = new DataView(bytes)
  const first = view.getUint32(0)
  if (first === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) }
  if (first === 0x47494638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  if (first === 0x52494646) return sizeOfWebp(view)
  return first >>> 16 === 0xffd8 ? sizeOfJpeg(view) : undefined
}
