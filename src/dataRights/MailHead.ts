import { Buffer, isUtf8 } from "node:buffer"
import { Option } from "effect"

/** What a mail's header says about people. */
export interface MailHead {
  /** The fields that name who wrote it or is to be replied to. */
  readonly writers: string
  /** The fields that name the recipients. */
  readonly recipients: string
  /** The sender's addresses. */
  readonly from: ReadonlyArray<string>
}

/** Current mail programs write UTF-8, old ones a single-byte encoding. */
const decoded = (bytes: Buffer) => bytes.toString(isUtf8(bytes) ? "utf8" : "latin1")

const decoderFor = Option.liftThrowable((charset: string) => new TextDecoder(charset))

const inCharset = (charset: string, bytes: Buffer) =>
  Option.match(decoderFor(charset), { onNone: () => decoded(bytes), onSome: (decoder) => decoder.decode(bytes) })

const quotedBytes = (text: string) =>
  Buffer.from(
    text
      .replaceAll("_", " ")
      .replaceAll(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1"
  )

/** Decodes encoded words; adjacent ones belong together. */
const readable = (text: string) =>
  text
    .replaceAll(/(\?=)\s+(?==\?)/g, "$1")
    .replaceAll(
      /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi,
      (_, charset: string, encoding: string, word: string) =>
        inCharset(charset, encoding.toLowerCase() === "b" ? Buffer.from(word, "base64") : quotedBytes(word))
    )

// No honest From is longer, and a hostile one must not make the parsing take long.
const longestFrom = 1000

/** Only the addresses: a display name may look like one. */
const addressesIn = (text: string) => {
  const unnamed = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, " ")
  const bracketed = [...unnamed.matchAll(/<([^<>]*)>/g)].map(([, address = ""]) => address)
  return (bracketed.length > 0 ? bracketed : unnamed.split(/[,;]/)).map((address) => address.trim().toLowerCase())
}

/** Reads the head from the first bytes of a mail's source. */
export const mailHeadOf = (source: Buffer): MailHead => {
  const [head = ""] = source.toString("latin1").split(/\r?\n\r?\n/)
  const lines = head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/)
  const fields = lines.map((line) => decoded(Buffer.from(line, "latin1")))
  const named = (names: RegExp) => fields.filter((field) => names.test(field))
  const [from = named(/^sender:/i)[0] ?? ""] = named(/^from:/i)
  return {
    writers: readable(named(/^(?:from|sender|reply-to|return-path):/i).join("\n")),
    recipients: readable(named(/^(?:to|cc|bcc):/i).join("\n")),
    from: addressesIn(from.slice(from.indexOf(":") + 1, longestFrom))
  }
}
