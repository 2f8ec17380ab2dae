import type { TicketID } from "../../../schema/Ids.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { element, listen } from "../dom/Element.ts"
import { makeKeyed } from "../dom/Keyed.ts"
import { ago } from "./Format.ts"
import { answeredMark, assigneeLabel, avatar, statusChip, topicChips } from "./Labels.ts"

interface RowState {
  readonly name: string
  readonly assignee: string | undefined
  readonly isFresh: boolean
  readonly isOpen: boolean
  readonly isChosen: boolean
}

const isAnswered = ({ isClosed, lastSenderType }: Ticket) => !isClosed && lastSenderType === "CustomerRep"

const linesOf = (ticket: Ticket, { assignee, isFresh, name }: RowState, when: string) =>
  element(
    "span",
    { class: "lines" },
    element(
      "span",
      { class: "top" },
      element("span", { class: "name", dir: "auto" }, name),
      isFresh && element("span", { class: "unseen" }, "New activity"),
      element("span", { class: "when" }, when)
    ),
    element(
      "span",
      { class: "top" },
      isAnswered(ticket) && answeredMark(),
      element("span", { class: "subject", dir: "auto" }, ticket.subject ?? "No subject"),
      assignee !== undefined && assigneeLabel(assignee)
    ),
    element(
      "span",
      { class: "chips" },
      (ticket.status !== "Open" || ticket.isSpam) && statusChip(ticket),
      ...topicChips(ticket.topics, 2)
    )
  )

/**
 * A ticket in the list. The link stays the same element as long as the ticket is listed, whatever changes. Over its
 * avatar lies a checkbox that selects it.
 */
export const makeInboxRow = (
  { ticketID }: Ticket,
  onChoose: (ticketID: TicketID, isChosen: boolean, through: boolean) => void
) => {
  const box = listen(element("input", { type: "checkbox" }), {
    click: ({ shiftKey }) => onChoose(ticketID, box.checked, shiftKey)
  })
  const link = element("a", { class: "item", href: `#/tickets/${ticketID}` })
  const show = makeKeyed(link)
  const update = (ticket: Ticket, state: RowState) => {
    const { channelType, isSpam, lastSenderType, status, subject, topics } = ticket
    const { assignee, isFresh, name } = state
    const when = ago(ticket.lastMessageDate ?? ticket.dateCreated)
    link.classList.toggle("fresh", isFresh)
    if (state.isOpen) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
    box.checked = state.isChosen
    const choice = `Select #${ticketID} ${subject ?? "No subject"}`
    if (box.ariaLabel !== choice) box.ariaLabel = choice
    show([
      { key: "avatar", looks: `${channelType} ${name}`, make: () => avatar(name, channelType) },
      {
        key: "lines",
        looks: JSON.stringify([name, assignee, isFresh, when, subject, status, isSpam, lastSenderType, topics]),
        make: () => linesOf(ticket, state, when)
      }
    ])
  }
  return {
    node: element("li", {}, element("label", { class: "choose" }, box), link),
    focus: () => link.focus(),
    update
  }
}

export type InboxRow = ReturnType<typeof makeInboxRow>
