import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import type { Topic } from "../../../schema/Topics.ts"
import { element } from "../dom/Element.ts"
import { hasChosenFiles } from "./ChosenFiles.ts"
import { type Client, run } from "./Client.ts"
import { openDialog } from "./Dialog.ts"
import { allOf } from "./Lists.ts"
import type { UnsentTexts } from "./Unsent.ts"

const nameOf = ({ subject, ticketID }: Ticket) => `#${ticketID} ${subject ?? "No subject"}`

/** Hands a message to a person, with an optional comment. */
export const askToEscalate = (client: Client, ticket: Ticket, message: TicketMessage, onDone: () => void) => {
  const comment = element("textarea", {
    id: "escalate-comment",
    rows: 3,
    maxlength: 10_000,
    "aria-describedby": "escalate-comment-help"
  })
  const email = element("input", { id: "escalate-email", type: "email", autocomplete: "off", maxlength: 320 })
  openDialog({
    title: "Escalate ticket",
    about: nameOf(ticket),
    onDone,
    content: [
      element("p", { class: "help" }, "The status changes to Escalated, and a notification is sent by email."),
      element("label", { for: "escalate-comment" }, "Comment (optional)"),
      comment,
      element(
        "p",
        { class: "help", id: "escalate-comment-help" },
        "Sent along and kept with the ticket: what is needed, or what is wrong with the AI draft."
      ),
      element("label", { for: "escalate-email" }, "Email address to notify (optional)"),
      email,
      element("p", { class: "help" }, "If empty, the default representative is notified.")
    ],
    action: "Escalate",
    run: async () => {
      const feedbackComment = comment.value.trim()
      const address = email.value.trim()
      await run(
        client.ticketMessages.escalateMessage({
          path: { id: message.messageID },
          payload: {
            ...(feedbackComment !== "" && { feedbackComment }),
            ...(address !== "" && { email: address })
          }
        })
      )
    }
  })
}

/** All current topics, and those of the message that are not in the list: a topic without a row would be removed. */
const choicesFor = ({ topics: own }: TicketMessage, topics: ReadonlyArray<Topic>) => [
  ...topics,
  ...own
    .filter(({ topicID }) => !topics.some((topic) => topic.topicID === topicID))
    .map(({ topicID, topicName }) => ({ topicID, name: topicName, description: null }))
]

export const loadTopics = (client: Client) => allOf((urlParams) => run(client.topics.listTopics({ urlParams })))

/** Lets a person set the topics of a message. Detection learns from the choice. */
export const askForTopics = (
  client: Client,
  ticket: Ticket,
  message: TicketMessage,
  topics: ReadonlyArray<Topic>,
  onDone: () => void
) => {
  const rows = choicesFor(message, topics).map((topic) => {
    const isChosen = message.topics.some(({ topicID }) => topicID === topic.topicID)
    const box = element("input", { type: "checkbox", checked: isChosen, id: `topic-${topic.topicID}` })
    const row = element(
      "label",
      { class: "choice", for: box.id },
      box,
      element(
        "span",
        {},
        element("strong", {}, topic.name),
        topic.description !== null && element("span", { class: "help" }, topic.description)
      )
    )
    return { box, row, topic }
  })
  openDialog({
    title: "Edit topics",
    about: nameOf(ticket),
    onDone,
    content: [
      element("p", { class: "help" }, "Your selection replaces the detected topics and improves detection."),
      rows.length === 0
        ? element("p", {}, "There are no topics yet.")
        : element("div", { class: "choices" }, ...rows.map(({ row }) => row))
    ],
    action: "Save topics",
    run: async () => {
      const topicIds = rows.filter(({ box }) => box.checked).map(({ topic }) => topic.topicID)
      await run(client.ticketMessages.correctTopics({ path: { id: message.messageID }, payload: { topicIds } }))
    }
  })
}

/** Asks only if something would be lost. */
export const askToLogOut = (unsent: UnsentTexts, onDone: () => void) => {
  const hasFiles = hasChosenFiles(unsent.customerRepID)
  if (unsent.isEmpty && !hasFiles) return onDone()
  const files = unsent.isEmpty ? "Files that were" : "Text and files that were"
  const what = hasFiles ? files : "Text that was"
  openDialog({
    title: "Log out?",
    content: [element("p", { class: "help" }, `${what} not sent will be discarded.`)],
    action: "Log out",
    onDone
  })
}
