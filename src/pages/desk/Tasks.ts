import type { TicketID } from "../../../schema/Ids.ts"
import { unreachable, wordsFor } from "./Client.ts"

/** What is under way for which ticket, and what went wrong there last. */
export class Tasks {
  readonly #busy = new Set<TicketID>()
  readonly #problems = new Map<TicketID, string>()
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  isBusy(ticketID: TicketID) {
    return this.#busy.has(ticketID)
  }

  problemOf(ticketID: TicketID) {
    return this.#problems.get(ticketID)
  }

  /** Returns whether it was done. */
  async run(ticketID: TicketID, work: () => Promise<void>) {
    this.#problems.delete(ticketID)
    this.#busy.add(ticketID)
    this.#onChange()
    try {
      await work()
    } catch (error) {
      this.#problems.set(ticketID, wordsFor(error))
    }
    this.#busy.delete(ticketID)
    this.#onChange()
    return !this.#problems.has(ticketID)
  }

  /** Called when the service can be reached again. */
  forgetUnreachable() {
    for (const [ticketID, words] of [...this.#problems]) {
      if (words.endsWith(unreachable)) this.#problems.delete(ticketID)
    }
    this.#onChange()
  }
}
