import type { TicketMessageID } from "../../../schema/Ids.ts"
import { fits } from "../../../schema/Recipients.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { button, element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { dayOf, exactly, timeOf } from "./Format.ts"
import { messageBody } from "./MessageBody.ts"
import type { MessageFiles } from "./MessageFiles.ts"

/** The messages before the first one that is shown. */
export interface Earlier {
  readonly count: number
  readonly isAsked: boolean
  readonly onAsk: () => void
}

export interface MessageHandlers {
  readonly files: MessageFiles
  readonly explained: TicketMessageID | undefined
  readonly onExplain: (messageID: TicketMessageID) => void
  readonly onTopics: (message: TicketMessage) => void
}

const fates: Readonly<Partial<Record<TicketMessage["status"], string>>> = {
  Queued: "Sending…",
  Sent: "Sent",
  Processing: "Processing…",
  Escalated: "Escalated",
  Replied: "Replied",
  Spam: "Spam"
}

const firstFilled = (texts: ReadonlyArray<string | null>) => texts.find((text) => text !== null && text.trim() !== "")

export const textOf = ({ message, preview, subject, textBody }: TicketMessage) =>
  firstFilled([message, textBody, preview, subject]) ?? ""

/** Whoever left no name is called by the address; the uid of a chat is none. */
const customerOf = ({ fromAddress, fromName, uid }: TicketMessage) =>
  firstFilled([fromName, fromAddress, uid !== null && fits.WhatsApp(uid) ? uid : null]) ?? "Customer"

export const authorOf = (message: TicketMessage) =>
  message.senderType === "EndUser" ? customerOf(message) : (message.customerRepName ?? "Automation")

/** The visitor's browser reports the address, so it may be anything. */
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
      message.topics.length === 0 ? "Add topics" : "Edit topics"
    )
  )

const fateOf = ({ senderType, status }: TicketMessage) => {
  const failed = senderType === "EndUser" ? "Processing failed" : "Not sent"
  const fate = status === "Failed" ? failed : fates[status]
  return fate === undefined ? undefined : element("span", { class: `fate-${status.toLowerCase()}` }, fate)
}

const under = (message: TicketMessage, handlers: MessageHandlers) => {
  const { dateCreated, messageID, pageURL, senderType } = message
  const isInbound = senderType === "EndUser"
  const at = message.messageDate ?? dateCreated
  return element(
    "div",
    { class: "under" },
    element("span", { class: "author", dir: "auto" }, authorOf(message)),
    element("time", { title: exactly(at) }, timeOf(at)),
    element("span", { class: "fate" }, fateOf(message)),
    isInbound && pageURL !== null && element("span", { class: "page", title: pageURL }, `on ${pathOf(pageURL)}`),
    isInbound &&
      button(
        { class: "link", "aria-pressed": String(handlers.explained === messageID) },
        () => handlers.onExplain(messageID),
        "Activity"
      )
  )
}

/** The parts of a message: its text stays the same element, so a selection in it is kept. */
const partsOf = (message: TicketMessage, handlers: MessageHandlers): ReadonlyArray<Part> => {
  const { customerRepName, fromName, messageID, senderType, status, topics } = message
  const text = textOf(message)
  const isExplained = handlers.explained === messageID
  return [
    { key: "text", looks: text, make: () => messageBody(message, text) },
    ...handlers.files.below(message),
    {
      key: "under",
      looks: [customerRepName, fromName, status, isExplained].join(),
      make: () => under(message, handlers)
    },
    ...(senderType === "EndUser"
      ? [{ key: "topics", looks: JSON.stringify(topics), make: () => topicsOf(message, handlers) }]
      : [])
  ]
}

const makeMessage = ({ messageID, senderType }: TicketMessage) => {
  const isInbound = senderType === "EndUser"
  const node = element("li", {
    class: `message ${isInbound ? "inbound" : "outbound"}`,
    "data-message": messageID
  })
  return { node, show: makeKeyed(node) }
}

const note = (key: string, text: string): Part => ({
  key,
  looks: text,
  make: () => element("li", { class: "day" }, text)
})

const earlierPart = ({ count, isAsked, onAsk }: Earlier): Part => {
  const text = count === 1 ? "1 earlier message is not shown" : `${count} earlier messages are not shown`
  const make = () =>
    element(
      "li",
      { class: "earlier" },
      element("span", { class: "day" }, text),
      button({ class: "secondary", "aria-disabled": String(isAsked) }, onAsk, "Show earlier messages")
    )
  return { key: "earlier", looks: `${count} ${isAsked}`, make }
}

/** Shows the messages, day by day. */
export const makeMessages = (log: HTMLElement) => {
  const show = makeKeyed(log)
  let known = new Map<TicketMessageID, ReturnType<typeof makeMessage>>()
  return (messages: ReadonlyArray<TicketMessage>, earlier: Earlier, handlers: MessageHandlers) => {
    known = new Map(
      messages.map((message) => [message.messageID, known.get(message.messageID) ?? makeMessage(message)])
    )
    let day = ""
    const parts = messages.flatMap((message) => {
      const today = dayOf(message.messageDate ?? message.dateCreated)
      const isNew = today !== day
      day = today
      const shown = known.get(message.messageID) ?? makeMessage(message)
      shown.show(partsOf(message, handlers))
      const part = { key: `message-${message.messageID}`, looks: "", make: () => shown.node }
      return isNew ? [note(`day-before-${message.messageID}`, today), part] : [part]
    })
    show([
      ...(earlier.count > 0 ? [earlierPart(earlier)] : []),
      ...(messages.length === 0 ? [note("nothing", "No messages yet.")] : []),
      ...parts
    ])
  }
}
