import type JSZip from "jszip"

/** The text of a file in an archive; throws where there is none. */
export const zipText = (zip: JSZip, name: string) => {
  const file = zip.file(name)
  if (file === null) throw new Error(`The archive has no file ${name}`)
  return file.async("text")
}
