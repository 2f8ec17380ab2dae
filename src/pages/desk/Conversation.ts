import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { type Client, run } from "./Client.ts"
import { firstOf } from "./Lists.ts"

/** New messages shift the pages while these are loaded: the end of one may be the beginning of the next. */
const eachOnce = (messages: ReadonlyArray<TicketMessage>) => [
  ...new Map(messages.map((message) => [message.messageID, message])).values()
]

/** The messages of a ticket, from the newest back as far as the reader has asked for. */
export class Conversation {
  #messages: ReadonlyArray<TicketMessage> = []
  #earlier = 0
  /** How many pages are wanted, counted from the newest, and how many are shown. */
  #pages = 1
  #shownPages = 1
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  get messages() {
    return this.#messages
  }

  /** How many messages there are before the first one here. */
  get earlier() {
    return this.#earlier
  }

  clear() {
    this.#messages = []
    this.#pages = 1
    this.#shownPages = 1
  }

  /** Loads the wanted pages, and returns a function that shows them instead of the current ones. */
  async load(ticketId: TicketID) {
    const pages = this.#pages
    const { items, totalCount } = await firstOf(pages, (page) =>
      run(
        this.#client.ticketMessages.listTicketMessages({
          urlParams: { ticketId, ...page, sortBy: "dateCreated", sortOrder: "desc" }
        })
      )
    )
    return () => {
      this.#messages = eachOnce(items).toReversed()
      this.#earlier = totalCount - this.#messages.length
      this.#shownPages = pages
    }
  }

  get isMoreAsked() {
    return this.#pages > this.#shownPages
  }

  askForMore() {
    this.#pages = this.#shownPages + 1
  }

  giveUpMore() {
    this.#pages = this.#shownPages
  }
}
