import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, icon, say } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { assigneeLabel, personName, statusChip } from "./Labels.ts"
import type { People } from "./People.ts"
import type { TicketCommands } from "./TicketCommands.ts"

interface Handlers {
  readonly onEscalate: (() => void) | undefined
  readonly onAbout: () => void
  readonly isAboutOpen: boolean
}

/** The header of the conversation: what the ticket is about, who it is with, and what can be done with it. */
export class TicketHeader {
  readonly view: HTMLElement
  readonly #heading = element("h1", { dir: "auto", tabindex: -1 })
  readonly #facts = element("p")
  readonly #buttons = element("div", { class: "commands" })
  readonly #showFacts = makeKeyed(this.#facts)
  readonly #showButtons = makeKeyed(this.#buttons)
  #onEscalate: (() => void) | undefined
  readonly #people: People
  readonly #commands: TicketCommands

  constructor(people: People, commands: TicketCommands) {
    this.#people = people
    this.#commands = commands
    this.view = element(
      "header",
      { class: "ticket-head" },
      element("a", { class: "icon-button back", href: "#/", "aria-label": "Back to the inbox" }, icon(icons.back)),
      element("div", { class: "about" }, this.#heading, this.#facts),
      this.#buttons
    )
  }

  focus() {
    this.#heading.focus({ preventScroll: true })
  }

  focusAbout() {
    this.#buttons.querySelector<HTMLElement>(".side-toggle")?.focus()
  }

  /** Who works on the ticket; one that nobody works on can be taken at once. */
  #assignee(ticket: Ticket): ReadonlyArray<Part> {
    const assignee = this.#people.assignee(ticket.customerRepID)
    if (assignee !== undefined) {
      return [{ key: "assignee", looks: assignee, make: () => assigneeLabel(assignee) }]
    }
    const take = () => {
      // The button disappears, as the ticket then has somebody.
      this.focus()
      void this.#commands.assign(ticket, this.#people.me)
    }
    const make = () => button({ class: "chip action take" }, take, icon(icons.user), "Assign to me")
    return [{ key: "assignee", looks: `take ${ticket.ticketID}`, make }]
  }

  update(ticket: Ticket, handlers: Handlers) {
    const { isClosed, isSpam, status, ticketID } = ticket
    const subject = ticket.subject ?? "No subject"
    const name = personName(ticket, this.#people)
    say(this.#heading, subject)
    this.#heading.title = subject
    this.#onEscalate = handlers.onEscalate
    this.#showFacts([
      { key: "status", looks: `${status} ${isSpam}`, make: () => statusChip(ticket) },
      { key: "name", looks: name, make: () => element("span", { class: "who", dir: "auto" }, name) },
      ...this.#assignee(ticket),
      { key: "number", looks: `${ticketID}`, make: () => element("span", { class: "number" }, `#${ticketID}`) }
    ])
    // What a button does may depend on all of this, so any change makes a new button.
    const state = [ticketID, status, isSpam].join()
    const command = (key: string, name: string, run: () => void): Part => ({
      key,
      looks: `${state} ${name}`,
      make: () => button({ class: "secondary" }, run, name)
    })
    const { close, markNotSpam, markSpam, reopen } = this.#commands
    this.#showButtons([
      ...(handlers.onEscalate !== undefined && !isSpam && status !== "Escalated"
        ? [command("escalate", "Escalate", () => this.#onEscalate?.())]
        : []),
      isSpam
        ? command("spam", "Not spam", () => void markNotSpam(ticket))
        : command("spam", "Spam", () => void markSpam(ticket)),
      isClosed
        ? command("close", "Reopen", () => void reopen(ticket))
        : command("close", "Close", () => void close(ticket)),
      {
        key: "about",
        looks: `${state} ${handlers.isAboutOpen}`,
        make: () =>
          button(
            {
              class: "secondary side-toggle",
              "aria-expanded": String(handlers.isAboutOpen),
              "aria-controls": "about-ticket"
            },
            handlers.onAbout,
            "Details"
          )
      }
    ])
  }
}
