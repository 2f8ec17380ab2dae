import { createHash } from "node:crypto"
import type { FormEvent } from "./FormEvents.ts"

/** What a form says, however it is cut into pieces and whatever its boundary is. */
export class FormDigest {
  readonly #parts: Array<unknown> = []
  #file = createHash("sha256")

  readonly see = (event: FormEvent) => {
    switch (event._tag) {
      case "Field":
        this.#parts.push([event.info.name, event.info.contentType, event.value])
        break
      case "FileBegins":
        this.#parts.push([event.info.name, event.info.contentType, event.info.filename])
        this.#file = createHash("sha256")
        break
      case "Bytes":
        this.#file.update(event.bytes)
        break
      case "FileEnds":
        this.#parts.push(this.#file.digest("base64url"))
        break
    }
  }

  get text() {
    return JSON.stringify(this.#parts)
  }
}
