import { visitorAddressField } from "../../../schema/Hub.ts"
import type { TicketID } from "../../../schema/Ids.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element } from "../dom/Element.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { Choice } from "./Choice.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { exactly, languageName } from "./Format.ts"
import { channelIcon, personName } from "./Labels.ts"
import { OtherTickets } from "./OtherTickets.ts"
import type { People } from "./People.ts"
import type { TicketCommands } from "./TicketCommands.ts"

const row = (name: string, looks: string, ...value: ReadonlyArray<Node>): Part => ({
  key: name,
  looks,
  make: () =>
    element(
      "div",
      { class: "row" },
      element("dt", {}, name),
      element("dd", {}, ...(value.length > 0 ? value : [looks]))
    )
})

const shownField = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

/** Escalating asks for more than a status, so it has a dialog of its own. */
const choosable = ["Open", "Pending", "Escalated", "Closed"] as const

/** What is known about the ticket and its customer, and what can be changed about it. */
export class Details {
  readonly view = element("div", { class: "details" })
  #ticket: Ticket | undefined
  readonly #assigned = new Choice("Assigned to")
  readonly #state = new Choice("Status")
  readonly #rows = element("dl", { class: "rows" })
  readonly #show = makeKeyed(this.view)
  readonly #showRows = makeKeyed(this.#rows)
  /** Keyed by ticket, since a response may arrive after the ticket was shown again or left. */
  readonly #summaries = new Map<TicketID, { readonly text: string; readonly isReading: boolean }>()
  readonly #others: OtherTickets
  readonly #client: Client
  readonly #people: People
  readonly #commands: TicketCommands

  constructor(client: Client, people: People, commands: TicketCommands) {
    this.#client = client
    this.#others = new OtherTickets(client, () => this.#ticket && this.update(this.#ticket))
    this.#people = people
    this.#commands = commands
  }

  update(ticket: Ticket) {
    this.#ticket = ticket
    const endUser = this.#people.endUser(ticket.endUserID)
    this.#showRows([
      this.#assignee(ticket),
      this.#status(ticket),
      row("Customer", personName(ticket, this.#people)),
      ...(endUser?.Email ? [row("Email", endUser.Email)] : []),
      ...(endUser?.Phone ? [row("Phone", endUser.Phone)] : []),
      ...(endUser?.CustomerRef ? [row("Reference", endUser.CustomerRef)] : []),
      ...(endUser?.Notes ? [row("Notes", endUser.Notes)] : []),
      row("Channel", ticket.channelType, channelIcon(ticket.channelType), new Text(ticket.channelType)),
      ...(ticket.language === null ? [] : [row("Language", languageName(ticket.language))]),
      row("Created", exactly(ticket.dateCreated)),
      ...Object.entries(ticket.customFieldsData).map(([name, value]) => {
        const field = row(name === visitorAddressField ? "Email left in the chat" : name, shownField(value))
        return { ...field, key: `field ${name}` }
      })
    ])
    this.#show([
      { key: "rows", looks: "", make: () => this.#rows },
      ...ticket.aiFeedbackComments.map((comment, index) => ({
        key: `comment ${index}`,
        looks: comment,
        make: () => element("blockquote", {}, element("p", {}, comment), element("footer", {}, "Escalation comment"))
      })),
      this.#summary(ticket),
      ...this.#others.show(ticket)
    ])
  }

  #assignee(ticket: Ticket): Part {
    const representatives = this.#people.representativesFor(ticket.customerRepID)
    const { me } = this.#people
    const options = [
      { value: "", name: "Unassigned" },
      ...representatives.map(({ customerRepID, name }) => ({
        value: String(customerRepID),
        name: customerRepID === me ? `${name} (you)` : name
      }))
    ]
    const { looks, node } = this.#assigned.show(options, String(ticket.customerRepID ?? ""), (value) => {
      const chosen = representatives.find(({ customerRepID }) => String(customerRepID) === value)
      void this.#commands.assign(ticket, chosen?.customerRepID ?? null)
    })
    return row("Assigned to", `${ticket.ticketID} ${looks}`, node)
  }

  #status(ticket: Ticket): Part {
    const statuses = choosable.filter((status) => status !== "Escalated" || ticket.status === status)
    const options = statuses.map((status) => ({ value: status, name: status }))
    const { looks, node } = this.#state.show(options, ticket.status, (value) => {
      const status = statuses.find((one) => one === value)
      if (status !== undefined) void this.#commands.setStatus(ticket, status)
    })
    return row("Status", `${ticket.ticketID} ${looks}`, node)
  }

  #summary({ ticketID }: Ticket): Part {
    const { isReading = false, text = "" } = this.#summaries.get(ticketID) ?? {}
    const make = () =>
      element(
        "div",
        { class: "summarise" },
        element("p", { class: "summary", "aria-live": "polite", dir: "auto" }, text),
        button(
          { class: "secondary", "aria-disabled": isReading && "true" },
          () => void this.#summarise(ticketID),
          "Summarise conversation"
        )
      )
    return { key: "summary", looks: JSON.stringify([ticketID, isReading, text]), make }
  }

  async #summarise(ticketID: TicketID) {
    if (this.#summaries.get(ticketID)?.isReading === true) return
    const say = (text: string, isReading = false) => {
      this.#summaries.set(ticketID, { text, isReading })
      if (this.#ticket?.ticketID === ticketID) this.update(this.#ticket)
    }
    say("Summarising…", true)
    try {
      const summary = await run(this.#client.ticketSummaries.getHistorySummary({ path: { id: ticketID } }))
      say(summary === "" ? "There is nothing to summarise yet." : summary)
    } catch (error) {
      say(wordsFor(error))
    }
  }
}
