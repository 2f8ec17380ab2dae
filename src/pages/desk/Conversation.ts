import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { type Client, firstOf, run } from "./Client.ts"

/** What has come meanwhile has moved the pages: the end of one may be the beginning of the next. */
const eachOnce = (messages: ReadonlyArray<TicketMessage>) => [
  ...new Map(messages.map((message) => [message.messageID, message])).values()
]

/** The messages of a ticket, from the newest back as far as somebody wanted to read. */
export class Conversation {
  #messages: ReadonlyArray<TicketMessage> = []
  #earlier = 0
  /** So many pages are wanted, the newest first, and so many are shown. */
  #pages = 1
  #shownPages = 1
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  get messages() {
    return this.#messages
  }

  /** How many there are before the first of them. */
  get earlier() {
    return this.#earlier
  }

  clear() {
    this.#messages = []
    this.#pages = 1
    this.#shownPages = 1
  }

  /** Asks for what is wanted, and answers what puts it in the place of what is shown. */
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
