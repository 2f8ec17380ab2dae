import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, listen } from "../dom/Element.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { exactly, languageName } from "./Format.ts"
import { channelIcon, personName } from "./Labels.ts"
import type { People } from "./People.ts"
import type { TicketCommands } from "./TicketCommands.ts"

const row = (name: string, ...value: ReadonlyArray<Node | string>) =>
  element("div", { class: "row" }, element("dt", {}, name), element("dd", {}, ...value))

const shownField = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

/** What is known about the ticket and the person, and who looks after it. */
export class Details {
  readonly view = element("div", { class: "details" })
  #summaries = new Map<number, string>()
  readonly #client: Client
  readonly #people: People
  readonly #commands: TicketCommands

  constructor(client: Client, people: People, commands: TicketCommands) {
    this.#client = client
    this.#people = people
    this.#commands = commands
  }

  update(ticket: Ticket) {
    const endUser = this.#people.endUser(ticket.endUserID)
    this.view.replaceChildren(
      element(
        "dl",
        { class: "rows" },
        row("Assigned to", this.#assignee(ticket)),
        row("Person", personName(ticket, this.#people)),
        ...(endUser?.Email ? [row("E-mail", endUser.Email)] : []),
        ...(endUser?.Phone ? [row("Phone", endUser.Phone)] : []),
        ...(endUser?.CustomerRef ? [row("Reference", endUser.CustomerRef)] : []),
        row("Channel", channelIcon(ticket.channelType), ticket.channelType),
        ...(ticket.language === null ? [] : [row("Language", languageName(ticket.language))]),
        row("Began", exactly(ticket.dateCreated)),
        ...Object.entries(ticket.customFieldsData).map(([name, value]) => row(name, shownField(value)))
      ),
      ...ticket.aiFeedbackComments.map((comment) =>
        element("blockquote", {}, element("p", {}, comment), element("footer", {}, "said when it was escalated"))
      ),
      this.#summary(ticket)
    )
  }

  #assignee(ticket: Ticket) {
    const { representatives } = this.#people
    const select = element(
      "select",
      { "aria-label": "Assigned to" },
      element("option", { value: "" }, "Nobody"),
      ...representatives.map(({ customerRepID, name, username }) =>
        element("option", { value: customerRepID, selected: customerRepID === ticket.customerRepID }, name ?? username)
      )
    )
    return listen(select, {
      change: () => {
        const chosen = representatives.find(({ customerRepID }) => String(customerRepID) === select.value)
        void this.#commands.assign(ticket, chosen?.customerRepID ?? null)
      }
    })
  }

  #summary(ticket: Ticket) {
    const known = this.#summaries.get(ticket.ticketID)
    const text = element("p", { class: "summary", "aria-live": "polite", dir: "auto" }, known ?? "")
    const summarise = async () => {
      text.textContent = "Reading…"
      ask.disabled = true
      try {
        const summary = await run(this.#client.ticketSummaries.getHistorySummary({ path: { id: ticket.ticketID } }))
        const shown = summary === "" ? "There is nothing to sum up yet." : summary
        this.#summaries.set(ticket.ticketID, shown)
        text.textContent = shown
      } catch (error) {
        text.textContent = wordsFor(error)
      }
      ask.disabled = false
    }
    const ask = button({ class: "secondary" }, () => void summarise(), "Sum up the conversation")
    return element("div", { class: "summarise" }, text, ask)
  }
}
