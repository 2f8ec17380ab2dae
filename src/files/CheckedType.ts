import { Either } from "effect"
import { binaryTypes, compoundTypes, type Family, type FileType, textTypes } from "./FileTypes.ts"
import { isScript, isText } from "./TextContent.ts"

/** Everything that is known about a file before it is stored. */
interface Suspect {
  readonly fileName: string
  /** The type that the caller declares; empty when it declares none. */
  readonly declaredType: string
  /** The type that the magic numbers indicate. */
  readonly detectedType: string | undefined
  readonly head: Uint8Array
}

const byExtension = (types: ReadonlyArray<FileType>, extension: string | undefined) =>
  types.find(({ extensions }) => extension !== undefined && extensions.includes(extension))

const plainText = textTypes[0]

/** The type of the content, with the name as a hint where the content alone is ambiguous. */
const typeOfContent = ({ detectedType, head }: Suspect, extension: string | undefined): FileType | undefined => {
  if (isScript(head)) return undefined
  const named = byExtension(textTypes, extension)
  if (named !== undefined) return isText(head) ? named : undefined
  if (detectedType === "application/x-cfb") return byExtension(compoundTypes, extension)
  const detected = binaryTypes.find(({ contentType }) => contentType === detectedType)
  // An archive whose first entries do not tell which kind of document it is.
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
  // Other declared types are ignored: systems disagree too much on them.
  return type === "application/pdf" ? "pdf" : undefined
}

const allTypes = [...binaryTypes, ...textTypes, ...compoundTypes]

/** The extension that an operating system would go by. "Invoice 3.12.2024" and "Dr. Meier" have none. */
const extensionOf = (fileName: string) => {
  const last = /[^.]\.([^.\s]+)$/.exec(fileName)?.[1]?.toLowerCase()
  return last === undefined || (/^\p{N}/u.test(last) && byExtension(allTypes, last) === undefined) ? undefined : last
}

/** The type to store, or why there is none: content, name and declared type must agree. */
export const checkedType = (suspect: Suspect): Either.Either<string, string> => {
  const extension = extensionOf(suspect.fileName)
  const named = byExtension(allTypes, extension)
  if (extension !== undefined && named === undefined)
    return Either.left(`Files with the extension .${extension} are not accepted.`)
  const found = typeOfContent(suspect, extension)
  if (found === undefined) return Either.left("The content of the file is of a type that is not accepted.")
  if (named !== undefined && named.family !== found.family) {
    return Either.left(`The file has the extension .${extension}, but its content is of another type.`)
  }
  const declared = declaredFamily(suspect.declaredType)
  return declared === undefined || declared === found.family
    ? Either.right(found.contentType)
    : Either.left(`The file was sent as ${suspect.declaredType}, but its content is of another type.`)
}
