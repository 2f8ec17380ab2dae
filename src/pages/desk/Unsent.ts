import { Option, Schema } from "effect"
import { type TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import { inStorage } from "../dom/InStorage.ts"

/** An answer that was begun and, as far as is known, has not arrived. */
const Unsent = Schema.Struct({
  text: Schema.String,
  /** The message that it answers, if any. */
  answers: Schema.NullOr(TicketMessageID),
  /** What the service knows it by: sent again under the same key, it arrives once. */
  key: Schema.String,
  /** Whether it was sent and may have arrived. */
  isTried: Schema.Boolean
})
export type Unsent = typeof Unsent.Type

const Stored = Schema.parseJson(Unsent)
const read = Schema.decodeOption(Stored)
const written = Schema.encodeSync(Stored)

// Browsers have randomUUID only where the page came over https.
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

const isSame = (one: string, other: string) => one.trim() === other.trim()

/** What a representative has written and not sent. It outlives a reload and the end of the session, in this tab. */
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

  /** What it answers is settled by its first letter, so that it is noticed when somebody else answers that. */
  note(ticketID: TicketID, text: string, target: TicketMessageID | null) {
    const before = this.get(ticketID)
    if (before !== undefined && isSame(before.text, text)) return this.#set(ticketID, { ...before, text })
    const answers = before === undefined || before.text.trim() === "" ? target : before.answers
    this.#set(ticketID, { text, answers, key: newKey(), isTried: false })
  }

  /** About to be sent. What may have arrived goes the same way again, where it is known by its key. */
  begin(ticketID: TicketID, text: string, target: TicketMessageID | null): Unsent {
    const before = this.get(ticketID)
    const isAgain = before !== undefined && isSame(before.text, text)
    const key = isAgain ? before.key : newKey()
    const begun = { text, answers: isAgain && before.isTried ? before.answers : target, key, isTried: true }
    this.#set(ticketID, begun)
    return begun
  }

  /** Its files are others now: sent again, it would be another answer. */
  change(ticketID: TicketID) {
    const before = this.get(ticketID)
    if (before !== undefined) this.#set(ticketID, { ...before, key: newKey(), isTried: false })
  }

  /** The service has refused it: it did not arrive. */
  refuse(ticketID: TicketID) {
    const before = this.get(ticketID)
    if (before !== undefined) this.#set(ticketID, { ...before, isTried: false })
  }

  /** It becomes the answer to something else, or to nothing in particular. */
  turnTo(ticketID: TicketID, target: TicketMessageID | null) {
    const before = this.get(ticketID)
    if (before !== undefined) this.#set(ticketID, { ...before, answers: target, isTried: false })
  }

  /** As it was before: known by the same key, and to be sent to the same message. */
  putBack(ticketID: TicketID, unsent: Unsent | undefined) {
    if (unsent === undefined) this.forget(ticketID)
    else this.#set(ticketID, unsent)
  }

  /** Done with it; where a text is given and another one was written since then, that stays. */
  forget(ticketID: TicketID, text?: string) {
    if (text !== undefined && this.get(ticketID)?.text !== text) return
    this.#known.delete(ticketID)
    inStorage("sessionStorage", (storage) => storage.removeItem(this.#place(ticketID)))
  }

  clear() {
    this.#known.clear()
    inStorage("sessionStorage", (storage) => {
      for (const place of Object.keys(storage)) if (place.startsWith(this.#prefix)) storage.removeItem(place)
    })
  }

  #place(ticketID: TicketID) {
    return this.#prefix + ticketID
  }

  #set(ticketID: TicketID, unsent: Unsent) {
    this.#known.set(ticketID, unsent)
    // A full storage keeps the text before: as long as the page is open, the newer one is known.
    inStorage("sessionStorage", (storage) => storage.setItem(this.#place(ticketID), written(unsent)))
  }
}
