const kinds: ReadonlyArray<readonly [RegExp, string]> = [
  [/^application\/pdf$/, "PDF"],
  [/^image\/svg\+xml$/, "SVG image"],
  [/^image\/jpeg$/, "JPEG image"],
  [/^image\/(png|gif|webp|bmp|tiff|heic|heif|avif|apng)$/, "image"],
  [/^audio\//, "audio"],
  [/^video\//, "video"],
  [/^text\/plain$/, "text"],
  [/^text\/html$|^application\/xhtml\+xml$/, "HTML page"],
  [/^text\/csv$|tab-separated|ms-excel|spreadsheet/, "spreadsheet"],
  [/^message\/rfc822$|ms-outlook/, "email"],
  [/msword|wordprocessing|opendocument\.text|\/rtf$/, "document"],
  [/powerpoint|presentation/, "presentation"],
  [/^application\/zip$/, "ZIP archive"]
]

/** The kind of a file in a word or two; an unknown type is shown as the service names it. */
export const kindOf = (contentType: string) => {
  const [found] = kinds.flatMap(([pattern, words]) => {
    const match = pattern.exec(contentType)
    return match === null ? [] : [match[1] === undefined ? words : `${match[1].toUpperCase()} ${words}`]
  })
  return found ?? contentType
}

const kilo = 1024

export const sizeOf = (bytes: number) => {
  if (bytes < kilo) return bytes === 1 ? "1 byte" : `${bytes} bytes`
  return bytes < kilo * kilo ? `${Math.round(bytes / kilo)} kB` : `${(bytes / kilo / kilo).toFixed(1)} MB`
}
