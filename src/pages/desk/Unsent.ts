import { Option, Schema } from "effect"
import { type TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import { inStorage } from "../dom/InStorage.ts"

/** An answer that was begun and, as far as is known, has not arrived. */
const Unsent = Schema.Struct({
  text: Schema.String,
  /** The message that it answers, if any. */
  answers: Schema.NullOr(TicketMessageID),
  /** The idempotency key: sent again with the same key, the answer arrives only once. */
  key: Schema.String,
  /** Whether it was sent and may have arrived. */
  isTried: Schema.Boolean
})
export type Unsent = typeof Unsent.Type

const Stored = Schema.parseJson(Unsent)
const read = Schema.decodeOption(Stored)
const written = Schema.encodeSync(Stored)

// Browsers offer randomUUID only on pages loaded over https.
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const isSame = (one: string, other: string) => one.trim() === other.trim()

/** The text that a representative has written and not sent. It survives a reload and the session, in this tab. */
export class UnsentTexts {
  readonly #known = new Map<TicketID, Unsent>()
  readonly #prefix: string
  readonly customerRepID: number

  constructor(customerRepID: number) {
    this.customerRepID = customerRepID
    this.#prefix = `casework-desk:unsent:${customerRepID}:`
  }

  get(ticketID: TicketID): Unsent | undefined {
    const known = this.#known.get(ticketID)
    if (known !== undefined) return known
    const stored = inStorage("sessionStorage", (storage) => storage.getItem(this.#place(ticketID)))
    return Option.getOrUndefined(read(stored ?? ""))
  }

  /** The first letter fixes which message is answered, so that an answer by somebody else is noticed. */
  note(ticketID: TicketID, text: string, target: TicketMessageID | null) {
    const before = this.get(ticketID)
    if (before !== undefined && isSame(before.text, text)) return this.#set(ticketID, { ...before, text })
    const answers = before === undefined || before.text.trim() === "" ? target : before.answers
    this.#set(ticketID, { text, answers, key: newKey(), isTried: false })
  }

  /** Called before sending. A text that may have arrived is sent the same way again, and recognised by its key. */
  begin(ticketID: TicketID, text: string, target: TicketMessageID | null): Unsent {
    const before = this.get(ticketID)
    const isAgain = before !== undefined && isSame(before.text, text)
    const key = isAgain ? before.key : newKey()
    const begun = { text, answers: isAgain && before.isTried ? before.answers : target, key, isTried: true }
    this.#set(ticketID, begun)
    return begun
  }

  /** The files have changed: sent again, it would be a different answer. */
  change(ticketID: TicketID) {
    const before = this.get(ticketID)
    if (before !== undefined) this.#set(ticketID, { ...before, key: newKey(), isTried: false })
  }

  /** The service has refused the text, so it did not arrive. */
  refuse(ticketID: TicketID) {
    const before = this.get(ticketID)
    if (before !== undefined) this.#set(ticketID, { ...before, isTried: false })
  }

  /** Makes the text answer another message, or none in particular. */
  turnTo(ticketID: TicketID, target: TicketMessageID | null) {
    const before = this.get(ticketID)
    if (before !== undefined) this.#set(ticketID, { ...before, answers: target, isTried: false })
  }

  /** Restores a text with its key and the message that it answers. */
  putBack(ticketID: TicketID, unsent: Unsent | undefined) {
    if (unsent === undefined) this.forget(ticketID)
    else this.#set(ticketID, unsent)
  }

  /** Forgets the text. If a text is given and another one was written since, the newer one stays. */
  forget(ticketID: TicketID, text?: string) {
    if (text !== undefined && this.get(ticketID)?.text !== text) return
    this.#known.delete(ticketID)
    inStorage("sessionStorage", (storage) => storage.removeItem(this.#place(ticketID)))
  }

  get isEmpty() {
    const stored = inStorage("sessionStorage", (storage) =>
      this.#placesIn(storage).map((place) => Option.getOrUndefined(read(storage.getItem(place) ?? "")))
    )
    return [...this.#known.values(), ...(stored ?? [])].every((unsent) => (unsent?.text ?? "").trim() === "")
  }

  clear() {
    this.#known.clear()
    inStorage("sessionStorage", (storage) => {
      for (const place of this.#placesIn(storage)) storage.removeItem(place)
    })
  }

  #placesIn(storage: Storage) {
    return Object.keys(storage).filter((place) => place.startsWith(this.#prefix))
  }

  #place(ticketID: TicketID) {
    return this.#prefix + ticketID
  }

  #set(ticketID: TicketID, unsent: Unsent) {
    this.#known.set(ticketID, unsent)
    // A full storage keeps the older text; the newer one is known as long as the page is open.
    inStorage("sessionStorage", (storage) => storage.setItem(this.#place(ticketID), written(unsent)))
  }
}
