import * as Conversation from "./Conversation.ts"
import type { UnsentStore } from "./UnsentStore.ts"

/** What has been said in the chat. Lines that have not arrived outlive the page. */
export class Transcript {
  #lines: ReadonlyArray<Conversation.Line>
  readonly #unsent: UnsentStore

  constructor(unsent: UnsentStore) {
    this.#unsent = unsent
    this.#lines = unsent.lines ?? []
  }

  get lines() {
    return this.#lines
  }

  /** Whether a line still waits to be sent. */
  get isWaiting() {
    return this.#lines.some(({ state }) => state === "queued" || state === "lost")
  }

  change(change: (lines: ReadonlyArray<Conversation.Line>) => ReadonlyArray<Conversation.Line>) {
    this.#lines = change(this.#lines)
    this.#unsent.keep(this.#lines)
  }

  mark(key: string, state: Conversation.Line["state"]) {
    this.change((lines) => Conversation.mark(lines, key, state))
  }

  /** Takes the unsent lines as other pages have left them; returns false where storage is unavailable. */
  comeBack() {
    const unsent = this.#unsent.lines
    if (unsent === undefined) return false
    this.change((lines) => [...lines.filter(({ state }) => state === "sent"), ...unsent])
    return true
  }
}
