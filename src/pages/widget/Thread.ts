import { isRecord } from "../hub/Protocol.ts"
import type { TicketStore } from "./TicketStore.ts"

/** What the hub knows this visitor's chat by. */
export class Thread {
  #ticketID: number | undefined
  /** The token that this page's first message was sent with: whether its chat has begun, the hub knows. */
  #chosenToken: string | undefined
  readonly #store: TicketStore

  constructor(store: TicketStore) {
    this.#store = store
  }

  /** The chat, once it has begun or was gone on with. */
  get ticketID() {
    return this.#ticketID
  }

  /** The token of the chat that this browser remembers. */
  get remembered() {
    return this.#store.ticketToken
  }

  /** What to go on with it by; another tab may have begun it a moment ago. */
  get token() {
    return this.remembered ?? this.#chosenToken ?? this.#store.chosenToken
  }

  /** Where a message goes: one that begins the chat says what it shall be known by. */
  place() {
    if (this.#ticketID !== undefined) return { ticketID: this.#ticketID }
    this.#chosenToken ??= this.remembered ?? this.#store.choose()
    return { ticketToken: this.#chosenToken }
  }

  /** The hub has answered in it. */
  learn(answer: unknown) {
    if (!isRecord(answer)) return
    const { ticketID, ticketToken } = answer
    if (typeof ticketID === "number") this.#ticketID = ticketID
    if (typeof ticketToken === "string") this.#store.remember(ticketToken)
    this.#chosenToken = undefined
  }

  /** The next message begins a new one. */
  forget() {
    this.#store.forget()
    this.#ticketID = undefined
  }
}
