import { createHash } from "node:crypto"
import type { FormEvent } from "./FormEvents.ts"

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url")

/** Digests the content of a form, however it is split into chunks and whatever its boundary is. Nothing is buffered. */
export class FormDigest {
  readonly #form = createHash("sha256")
  #file = createHash("sha256")

  /** Hashes words as a line of their own: JSON has no line breaks. */
  #note(...words: ReadonlyArray<string | undefined>) {
    this.#form.update(`${JSON.stringify(words)}\n`)
  }

  readonly see = (event: FormEvent) => {
    switch (event._tag) {
      case "Field":
        return this.#note("field", event.info.name, event.info.contentType, hashOf(event.value))
      case "FileBegins":
        this.#file = createHash("sha256")
        return this.#note("file", event.info.name, event.info.contentType, event.info.filename)
      case "Bytes":
        return void this.#file.update(event.bytes)
      case "FileEnds":
        return this.#note("end", this.#file.digest("base64url"))
    }
  }

  /** Call it once, after the whole form was seen. */
  digest() {
    return this.#form.digest("base64url")
  }
}
