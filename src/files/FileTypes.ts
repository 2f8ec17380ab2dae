/** The family of a type: a file may have any extension of its own family, but none of another. */
export type Family = "image" | "pdf" | "text" | "office" | "zip" | "sound or film"

export interface FileType {
  readonly contentType: string
  readonly family: Family
  readonly extensions: ReadonlyArray<string>
}

const ofFamily =
  (family: Family) =>
  (contentType: string, ...extensions: ReadonlyArray<string>): FileType => ({ contentType, family, extensions })

const image = ofFamily("image")
const text = ofFamily("text")
const office = ofFamily("office")
const media = ofFamily("sound or film")

const openXml = "application/vnd.openxmlformats-officedocument"
const openDocument = "application/vnd.oasis.opendocument"

/** Types that can be told from the content. Documents with macros are left out: they are programs. */
export const binaryTypes: ReadonlyArray<FileType> = [
  image("image/jpeg", "jpg", "jpeg", "jpe", "jfif"),
  image("image/png", "png"),
  image("image/apng", "apng"),
  image("image/gif", "gif"),
  image("image/webp", "webp"),
  image("image/bmp", "bmp"),
  image("image/tiff", "tif", "tiff"),
  image("image/heic", "heic"),
  image("image/heif", "heif", "hif"),
  image("image/avif", "avif"),
  image("image/x-icon", "ico"),
  { contentType: "application/pdf", family: "pdf", extensions: ["pdf"] },
  office("application/rtf", "rtf"),
  office(`${openXml}.wordprocessingml.document`, "docx"),
  office(`${openXml}.wordprocessingml.template`, "dotx"),
  office(`${openXml}.spreadsheetml.sheet`, "xlsx"),
  office(`${openXml}.spreadsheetml.template`, "xltx"),
  office(`${openXml}.presentationml.presentation`, "pptx"),
  office(`${openXml}.presentationml.template`, "potx"),
  office(`${openXml}.presentationml.slideshow`, "ppsx"),
  office(`${openDocument}.text`, "odt"),
  office(`${openDocument}.spreadsheet`, "ods"),
  office(`${openDocument}.presentation`, "odp"),
  office(`${openDocument}.graphics`, "odg"),
  { contentType: "application/zip", family: "zip", extensions: ["zip"] },
  media("audio/mpeg", "mp3", "mp2"),
  media("audio/mp4", "m4a", "m4b"),
  media("audio/x-m4a", "m4a"),
  media("audio/aac", "aac"),
  media("audio/ogg", "ogg", "oga", "opus", "spx"),
  media("audio/wav", "wav"),
  media("audio/flac", "flac"),
  media("audio/amr", "amr"),
  media("audio/aiff", "aif", "aiff"),
  media("video/mp4", "mp4"),
  media("video/x-m4v", "m4v"),
  media("video/quicktime", "mov"),
  media("video/webm", "webm", "weba"),
  media("video/matroska", "mkv", "mka"),
  media("video/vnd.avi", "avi"),
  media("video/mpeg", "mpg", "mpeg"),
  media("video/MP2P", "mpg", "mpeg"),
  media("video/3gpp", "3gp"),
  media("video/3gpp2", "3g2"),
  media("video/ogg", "ogv"),
  media("application/ogg", "ogx")
]

/** Types that only the name tells apart; the content is text. */
export const textTypes: ReadonlyArray<FileType> = [
  text("text/plain", "txt", "text", "log", "ini", "conf", "cfg", "srt"),
  text("text/csv", "csv"),
  text("text/tab-separated-values", "tsv", "tab"),
  text("text/markdown", "md", "markdown"),
  text("text/html", "html", "htm"),
  text("application/xhtml+xml", "xhtml"),
  text("application/xml", "xml"),
  text("image/svg+xml", "svg"),
  text("application/json", "json"),
  text("application/yaml", "yaml", "yml"),
  text("text/calendar", "ics"),
  text("text/vcard", "vcf"),
  text("text/vtt", "vtt"),
  text("message/rfc822", "eml")
]

/** Older Office files all look alike inside; only the name tells them apart. */
export const compoundTypes: ReadonlyArray<FileType> = [
  office("application/msword", "doc", "dot"),
  office("application/vnd.ms-excel", "xls", "xlt"),
  office("application/vnd.ms-powerpoint", "ppt", "pps"),
  office("application/vnd.ms-outlook", "msg")
]
