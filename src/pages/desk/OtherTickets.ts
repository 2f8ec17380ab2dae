import type { EndUserID, TicketID } from "../../../schema/Ids.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { element } from "../dom/Element.ts"
import type { Part } from "../dom/Keyed.ts"
import { type Client, run } from "./Client.ts"
import { ago } from "./Format.ts"
import { statusChip } from "./Labels.ts"

const most = 5

const rowOf = (ticket: Ticket, when: string) =>
  element(
    "li",
    {},
    element(
      "a",
      { class: "other", href: `#/tickets/${ticket.ticketID}` },
      element("span", { class: "subject", dir: "auto" }, ticket.subject ?? "No subject"),
      statusChip(ticket),
      element("span", { class: "when" }, when)
    )
  )

/** The newest other tickets of the same customer. They are loaded once each time a ticket is shown. */
export class OtherTickets {
  #ticketID: TicketID | undefined
  #tickets: ReadonlyArray<Ticket> = []
  #total = 0
  readonly #client: Client
  readonly #onNews: () => void

  constructor(client: Client, onNews: () => void) {
    this.#client = client
    this.#onNews = onNews
  }

  show({ endUserID, ticketID }: Ticket): ReadonlyArray<Part> {
    if (ticketID !== this.#ticketID) {
      this.#ticketID = ticketID
      this.#tickets = []
      if (endUserID !== null) void this.#load(endUserID, ticketID)
    }
    if (this.#tickets.length === 0) return []
    const rows = this.#tickets.map((ticket) => ({ ticket, when: ago(ticket.lastMessageDate ?? ticket.dateCreated) }))
    const rest = this.#total - 1 - rows.length
    const make = () =>
      element(
        "section",
        { class: "others", "aria-labelledby": "others-title" },
        element("h2", { id: "others-title" }, "Other tickets from this customer"),
        element("ul", {}, ...rows.map(({ ticket, when }) => rowOf(ticket, when))),
        rest > 0 && element("p", { class: "help" }, `and ${rest} more`)
      )
    return [{ key: "others", looks: JSON.stringify([rows, rest]), make }]
  }

  async #load(endUserID: EndUserID, ticketID: TicketID) {
    const urlParams = { pageSize: most + 1, sortBy: "lastMessageDate", sortOrder: "desc" } as const
    try {
      const page = await run(this.#client.endUsers.listTicketsOfEndUser({ path: { id: endUserID }, urlParams }))
      if (ticketID !== this.#ticketID) return
      this.#tickets = page.items.filter((ticket) => ticket.ticketID !== ticketID).slice(0, most)
      this.#total = page.totalCount
      this.#onNews()
    } catch {
      // The ticket can be worked on without them; it asks again when it is shown again.
      if (ticketID === this.#ticketID) this.#ticketID = undefined
    }
  }
}
