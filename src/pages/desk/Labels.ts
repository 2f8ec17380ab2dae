import type { Ticket } from "../../../schema/Tickets.ts"
import { element, icon } from "../dom/Element.ts"
import { type IconName, icons } from "../dom/Icons.ts"
import { initials } from "./Format.ts"
import type { People } from "./People.ts"

const channelIcons: Readonly<Record<Ticket["channelType"], IconName>> = {
  Email: "mail",
  Chat: "chat",
  Phone: "phone",
  WhatsApp: "whatsapp"
}

export const channelIcon = (channelType: Ticket["channelType"]) => icon(icons[channelIcons[channelType]])

export const personName = (ticket: Ticket, people: People) => {
  const endUser = people.endUser(ticket.endUserID)
  const name = endUser?.DisplayName.trim() ?? ""
  if (name !== "") return name
  return endUser?.Email ?? endUser?.Phone ?? (ticket.channelType === "Chat" ? "Visitor" : "Unknown customer")
}

export const avatar = (name: string, channelType: Ticket["channelType"]) =>
  element(
    "span",
    { class: "avatar", "aria-hidden": "true" },
    initials(name),
    element("span", { class: "channel" }, channelIcon(channelType))
  )

export const statusChip = (ticket: Ticket) =>
  element(
    "span",
    { class: `chip status-${ticket.isSpam ? "spam" : ticket.status.toLowerCase()}` },
    ticket.isSpam ? "Spam" : ticket.status
  )

export const assigneeLabel = (assignee: string) =>
  element(
    "span",
    { class: "assignee", title: `Assigned to ${assignee}` },
    icon(icons.user),
    element("span", { class: "unseen" }, "Assigned to "),
    element("span", { class: "assignee-name", dir: "auto" }, assignee)
  )

/** The team wrote last, so that nobody waits for it. */
export const answeredMark = () =>
  element(
    "span",
    { class: "had-last-word", title: "Answered" },
    icon(icons.reply),
    element("span", { class: "unseen" }, "Answered: ")
  )

export const topicChips = (names: ReadonlyArray<string>, most = names.length) => [
  ...names.slice(0, most).map((name) => element("span", { class: "chip" }, name)),
  ...(names.length > most ? [element("span", { class: "chip" }, `+${names.length - most}`)] : [])
]

/** A placeholder for an empty place, with a reason. */
export const emptyState = (name: IconName, title: string, text: string, ...more: ReadonlyArray<Node>) =>
  element("div", { class: "empty" }, icon(icons[name]), element("h2", {}, title), element("p", {}, text), ...more)

export const skeleton = (rows: number) =>
  element(
    "div",
    { class: "skeleton", "aria-busy": "true", "aria-label": "Loading" },
    ...Array.from({ length: rows }, () => element("span"))
  )
