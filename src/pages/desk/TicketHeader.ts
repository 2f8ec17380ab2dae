import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { personName, statusChip } from "./Labels.ts"
import type { People } from "./People.ts"
import type { TicketCommands } from "./TicketCommands.ts"

/** Above the conversation: what it is about, whose it is, and what can be done with the ticket. */
export const ticketHeader = (
  ticket: Ticket,
  people: People,
  commands: TicketCommands,
  handlers: { readonly onEscalate: (() => void) | undefined; readonly onAbout: () => void }
) => [
  element("a", { class: "icon-button back", href: "#/", "aria-label": "Back to the inbox" }, icon(icons.back)),
  element(
    "div",
    { class: "about" },
    element("h1", { dir: "auto" }, ticket.subject ?? "No subject"),
    element(
      "p",
      {},
      statusChip(ticket),
      element("span", {}, personName(ticket, people)),
      element("span", { class: "number" }, `#${ticket.ticketID}`)
    )
  ),
  element(
    "div",
    { class: "commands" },
    handlers.onEscalate !== undefined &&
      !ticket.isSpam &&
      ticket.status !== "Escalated" &&
      button({ class: "secondary" }, handlers.onEscalate, "Escalate"),
    ticket.isSpam
      ? button({ class: "secondary" }, () => void commands.markNotSpam(ticket), "Not spam")
      : button({ class: "secondary" }, () => void commands.markSpam(ticket), "Spam"),
    ticket.isClosed
      ? button({ class: "secondary" }, () => void commands.reopen(ticket), "Reopen")
      : button({ class: "secondary" }, () => void commands.close(ticket), "Close"),
    button({ class: "secondary side-toggle" }, handlers.onAbout, "About")
  )
]
