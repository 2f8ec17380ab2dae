import { isRecord } from "../hub/Protocol.ts"
import type { TicketStore } from "./TicketStore.ts"

/** How the hub identifies this visitor's chat. */
export class Thread {
  #ticketID: number | undefined
  /** The token of the chat that this page is in; by now another tab may have begun another chat. */
  #learnedToken: string | undefined
  /** The token that this page's first message was sent with; only the hub knows whether its chat has begun. */
  #chosenToken: string | undefined
  readonly #store: TicketStore

  constructor(store: TicketStore) {
    this.#store = store
  }

  /** The chat, once it has begun or been resumed. */
  get ticketID() {
    return this.#ticketID
  }

  /** The token of the chat that this browser remembers. */
  get remembered() {
    return this.#store.ticketToken
  }

  /** The token to resume the chat with; another tab may have begun it a moment ago. */
  get token() {
    return this.remembered ?? this.#chosenToken ?? this.#store.chosenToken
  }

  /** Where a message goes; the first message of a chat carries the token that will identify it. */
  place() {
    if (this.#ticketID !== undefined) return { ticketID: this.#ticketID }
    this.#chosenToken ??= this.remembered ?? this.#store.choose()
    return { ticketToken: this.#chosenToken }
  }

  /** Takes the ids of the chat from a response of the hub. */
  learn(answer: unknown) {
    if (!isRecord(answer)) return
    const { ticketID, ticketToken } = answer
    if (typeof ticketID === "number") this.#ticketID = ticketID
    if (typeof ticketToken === "string") {
      this.#learnedToken = ticketToken
      this.#store.remember(ticketToken)
    }
    this.#chosenToken = undefined
  }

  /**
   * The chat with this token is gone; without a token, the one that was tried last. The next message begins a new chat,
   * or goes to the one that another tab has begun since.
   */
  forget(ticketToken = this.#chosenToken ?? this.#learnedToken) {
    this.#store.forget(ticketToken)
    if (this.#chosenToken === ticketToken) this.#chosenToken = undefined
    this.#learnedToken = undefined
    this.#ticketID = undefined
  }
}
