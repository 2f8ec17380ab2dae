import type { TicketID } from "../../../schema/Ids.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, listen } from "../dom/Element.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { exactly, languageName } from "./Format.ts"
import { channelIcon, personName } from "./Labels.ts"
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

const valueOf = ({ target }: Event) => (target instanceof HTMLSelectElement ? target.value : "")

/** What is known about the ticket and the person, and who it is assigned to. */
export class Details {
  readonly view = element("div", { class: "details" })
  #ticket: Ticket | undefined
  #select = element("select")
  #selectLooks = ""
  readonly #rows = element("dl", { class: "rows" })
  readonly #show = makeKeyed(this.view)
  readonly #showRows = makeKeyed(this.#rows)
  /** Keyed by ticket, since a response may arrive after the ticket was shown again or left. */
  readonly #summaries = new Map<TicketID, { readonly text: string; readonly isReading: boolean }>()
  readonly #client: Client
  readonly #people: People
  readonly #commands: TicketCommands

  constructor(client: Client, people: People, commands: TicketCommands) {
    this.#client = client
    this.#people = people
    this.#commands = commands
  }

  update(ticket: Ticket) {
    this.#ticket = ticket
    const endUser = this.#people.endUser(ticket.endUserID)
    this.#showRows([
      this.#assignee(ticket),
      row("Person", personName(ticket, this.#people)),
      ...(endUser?.Email ? [row("E-mail", endUser.Email)] : []),
      ...(endUser?.Phone ? [row("Phone", endUser.Phone)] : []),
      ...(endUser?.CustomerRef ? [row("Reference", endUser.CustomerRef)] : []),
      row("Channel", ticket.channelType, channelIcon(ticket.channelType), new Text(ticket.channelType)),
      ...(ticket.language === null ? [] : [row("Language", languageName(ticket.language))]),
      row("Began", exactly(ticket.dateCreated)),
      ...Object.entries(ticket.customFieldsData).map(([name, value]) => {
        const field = row(name, shownField(value))
        return { ...field, key: `field ${name}` }
      })
    ])
    // Resets a choice that was made but not accepted.
    this.#select.value = String(ticket.customerRepID ?? "")
    this.#show([
      { key: "rows", looks: "", make: () => this.#rows },
      ...ticket.aiFeedbackComments.map((comment, index) => ({
        key: `comment ${index}`,
        looks: comment,
        make: () =>
          element("blockquote", {}, element("p", {}, comment), element("footer", {}, "said when it was escalated"))
      })),
      this.#summary(ticket)
    ])
  }

  #assignee(ticket: Ticket): Part {
    const representatives = this.#people.representativesFor(ticket.customerRepID)
    const looks = JSON.stringify([ticket.ticketID, representatives])
    if (this.#selectLooks !== looks) {
      this.#selectLooks = looks
      this.#select = listen(
        element(
          "select",
          { "aria-label": "Assigned to" },
          element("option", { value: "" }, "Nobody"),
          ...representatives.map(({ customerRepID, name }) => element("option", { value: customerRepID }, name))
        ),
        {
          change: (event) => {
            const chosen = representatives.find(({ customerRepID }) => String(customerRepID) === valueOf(event))
            void this.#commands.assign(ticket, chosen?.customerRepID ?? null)
          }
        }
      )
    }
    return row("Assigned to", looks, this.#select)
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
          "Sum up the conversation"
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
    say("Reading…", true)
    try {
      const summary = await run(this.#client.ticketSummaries.getHistorySummary({ path: { id: ticketID } }))
      say(summary === "" ? "There is nothing to sum up yet." : summary)
    } catch (error) {
      say(wordsFor(error))
    }
  }
}
