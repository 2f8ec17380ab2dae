import { Either } from "effect"
import { binaryTypes, compoundTypes, type Family, type FileType, textTypes } from "./FileTypes.ts"
import { isScript, isText } from "./TextContent.ts"

/** All that is known of a file before it is stored. */
export interface Suspect {
  readonly fileName: string
  /** What the caller says that it is; none when it says nothing. */
  readonly declaredType: string
  /** What the magic numbers say. */
  readonly detectedType: string | undefined
  readonly head: Uint8Array
}

const byExtension = (types: ReadonlyArray<FileType>, extension: string | undefined) =>
  types.find(({ extensions }) => extension !== undefined && extensions.includes(extension))

const plainText = textTypes[0]

/** What the content is, with the name as a hint where the content alone does not tell. */
const typeOfContent = ({ detectedType, head }: Suspect, extension: string | undefined): FileType | undefined => {
  if (isScript(head)) return undefined
  const named = byExtension(textTypes, extension)
  if (named !== undefined) return isText(head) ? named : undefined
  if (detectedType === "application/x-cfb") return byExtension(compoundTypes, extension)
  const detected = binaryTypes.find(({ contentType }) => contentType === detectedType)
  // An archive whose first entries say nothing of the document that it is.
  if (detected?.family === "zip") return byExtension(zippedTypes, extension) ?? detected
  if (detected === undefined && detectedType === undefined && extension === undefined && isText(head)) return plainText
  return detected
}

const zippedTypes = binaryTypes.filter(({ contentType }) => /openxmlformats|opendocument/.test(contentType))

const declaredFamily = (declaredType: string): Family | undefined => {
  const type = declaredType.toLowerCase()
  if (type === "image/svg+xml") return "text"
  if (type.startsWith("image/")) return "image"
  if (/^(?:audio|video)\//.test(type)) return "sound or film"
  if (type === "text/rtf") return "office"
  if (type.startsWith("text/")) return "text"
  // Under other names, systems disagree too much on what is what.
  return type === "application/pdf" ? "pdf" : undefined
}

const allTypes = [...binaryTypes, ...textTypes, ...compoundTypes]

/** What a system would go by. "Invoice 3.12.2024" and "Dr. Meier" have none. */
const extensionOf = (fileName: string) => {
  const last = /[^.]\.([^.\s]+)$/.exec(fileName)?.[1]?.toLowerCase()
  return last === undefined || (/^\p{N}/u.test(last) && byExtension(allTypes, last) === undefined) ? undefined : last
}

/** The type to store, or why there is none: content, name and what the caller says must go together. */
export const checkedType = (suspect: Suspect): Either.Either<string, string> => {
  const extension = extensionOf(suspect.fileName)
  const named = byExtension(allTypes, extension)
  if (extension !== undefined && named === undefined) return Either.left(`Files named .${extension} are not taken.`)
  const found = typeOfContent(suspect, extension)
  if (found === undefined) return Either.left("The content of the file is of a type that is not taken.")
  if (named !== undefined && named.family !== found.family) {
    return Either.left(`The file is named .${extension}, but its content is something else.`)
  }
  const declared = declaredFamily(suspect.declaredType)
  return declared === undefined || declared === found.family
    ? Either.right(found.contentType)
    : Either.left(`The file was sent as ${suspect.declaredType}, but its content is something else.`)
}
