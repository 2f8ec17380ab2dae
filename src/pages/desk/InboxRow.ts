import type { Ticket } from "../../../schema/Tickets.ts"
import { element } from "../dom/Element.ts"
import { makeKeyed } from "../dom/Keyed.ts"
import { ago } from "./Format.ts"
import { assigneeLabel, avatar, statusChip, topicChips } from "./Labels.ts"

interface RowState {
  readonly name: string
  readonly assignee: string | undefined
  readonly isFresh: boolean
  readonly isSelected: boolean
}

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

/** A ticket in the list. The link stays the same element as long as the ticket is listed, whatever changes. */
export const makeInboxRow = ({ ticketID }: Ticket) => {
  const link = element("a", { class: "item", href: `#/tickets/${ticketID}` })
  const show = makeKeyed(link)
  const update = (ticket: Ticket, state: RowState) => {
    const { channelType, isSpam, status, subject, topics } = ticket
    const when = ago(ticket.lastMessageDate ?? ticket.dateCreated)
    link.classList.toggle("fresh", state.isFresh)
    if (state.isSelected) link.setAttribute("aria-current", "true")
    else link.removeAttribute("aria-current")
    show([
      { key: "avatar", looks: `${channelType} ${state.name}`, make: () => avatar(state.name, channelType) },
      {
        key: "lines",
        looks: JSON.stringify([state.name, state.assignee, state.isFresh, when, subject, status, isSpam, topics]),
        make: () => linesOf(ticket, state, when)
      }
    ])
  }
  return { node: element("li", {}, link), focus: () => link.focus(), update }
}

export type InboxRow = ReturnType<typeof makeInboxRow>
