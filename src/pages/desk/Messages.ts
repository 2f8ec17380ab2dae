import type { TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { button, element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { richText } from "../dom/RichText.ts"
import { dayOf, exactly, timeOf } from "./Format.ts"

export interface MessageHandlers {
  readonly explained: TicketMessageID | undefined
  readonly onExplain: (messageID: TicketMessageID) => void
  readonly onTopics: (message: TicketMessage) => void
}

const fates: Readonly<Partial<Record<TicketMessage["status"], string>>> = {
  Queued: "On its way…",
  Sent: "Sent",
  Failed: "Failed",
  Processing: "Automation is at work…",
  Escalated: "Escalated",
  Replied: "Answered",
  Spam: "Spam"
}

const textOf = ({ message, preview, subject, textBody }: TicketMessage) =>
  [message, textBody, preview, subject].find((text) => text !== null && text.trim() !== "") ?? ""

/** The visitor says where it is: it may be anything. */
const pathOf = (pageURL: string) => /^https?:\/\/[^/]+(\/[^?#]*)/.exec(pageURL)?.[1] ?? pageURL

const topicsOf = (message: TicketMessage, { onTopics }: MessageHandlers) =>
  element(
    "div",
    { class: "chips" },
    ...message.topics.map(({ topicName }) => element("span", { class: "chip" }, topicName)),
    button(
      { class: "chip action" },
      () => onTopics(message),
      icon(icons.edit),
      message.topics.length === 0 ? "Add topics" : "Topics"
    )
  )

const fateOf = ({ status }: TicketMessage) => {
  const fate = fates[status]
  return fate === undefined ? undefined : element("span", { class: `fate-${status.toLowerCase()}` }, fate)
}

const messageOf = (message: TicketMessage, handlers: MessageHandlers) => {
  const { customerRepName, dateCreated, fromName, messageID, pageURL, senderType } = message
  const isInbound = senderType === "EndUser"
  const at = message.messageDate ?? dateCreated
  return element(
    "li",
    { class: `message ${isInbound ? "inbound" : "outbound"}`, "data-message": messageID },
    element("div", { class: "bubble", dir: "auto" }, ...richText(textOf(message))),
    element(
      "div",
      { class: "under" },
      element("span", { class: "author" }, isInbound ? (fromName ?? "Customer") : (customerRepName ?? "Automatic")),
      element("time", { title: exactly(at) }, timeOf(at)),
      fateOf(message),
      isInbound && pageURL !== null && element("span", { class: "page", title: pageURL }, `on ${pathOf(pageURL)}`),
      isInbound &&
        button(
          { class: "link", "aria-pressed": String(handlers.explained === messageID) },
          () => handlers.onExplain(messageID),
          "Why?"
        )
    ),
    isInbound && topicsOf(message, handlers)
  )
}

/** What was said, day by day. */
export const renderMessages = (messages: ReadonlyArray<TicketMessage>, handlers: MessageHandlers) => {
  let day = ""
  return messages.flatMap((message) => {
    const today = dayOf(message.messageDate ?? message.dateCreated)
    const isNew = today !== day
    day = today
    return [...(isNew ? [element("li", { class: "day" }, today)] : []), messageOf(message, handlers)]
  })
}
