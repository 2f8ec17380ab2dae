import type { TicketID } from "../../../schema/Ids.ts"
import { fits } from "../../../schema/Recipients.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import type { ChosenFiles } from "./ChosenFiles.ts"
import { type Client, isRefusal, once, run, wordsFor } from "./Client.ts"
import { firstOf } from "./Lists.ts"
import type { TicketCommands } from "./TicketCommands.ts"
import { toast } from "./Toast.ts"
import type { Unsent, UnsentTexts } from "./Unsent.ts"

/** The message that an answer would be to: the customer's last one, unless it has been answered. */
export const unanswered = (messages: ReadonlyArray<TicketMessage>) => {
  const last = messages.findLast(({ senderType }) => senderType === "EndUser")
  return last?.status === "Replied" ? undefined : last
}

/**
 * The address that an answer to a message goes to by mail. Where the message has none, the service looks at what it
 * knows of the customer, so only the service can tell.
 */
export const recipientOf = ({ channelID, channelType }: Ticket, target: TicketMessage | undefined) =>
  channelType === "Email" && target?.channelID === channelID
    ? [target.fromAddress, target.uid].filter((address) => address !== null).find(fits.Email)
    : undefined

/**
 * Who else has answered the message that a text was meant to answer. A text that was tried may be that answer itself.
 */
export const answeredBy = (messages: ReadonlyArray<TicketMessage>, unsent: Unsent | undefined) => {
  if (unsent === undefined || unsent.isTried || unsent.text.trim() === "") return undefined
  const at = messages.findIndex(({ messageID }) => messageID === unsent.answers)
  if (messages[at]?.status !== "Replied") return undefined
  const answer = messages.slice(at + 1).findLast(({ senderType }) => senderType === "CustomerRep")
  return answer === undefined ? "Somebody" : (answer.customerRepName ?? "Automation")
}

/**
 * Sends the text as the answer to its message, or else as a message of its own; only once, however often it is tried.
 */
const sendAnswer = (client: Client, ticketID: TicketID, { answers, key, text }: Unsent): Promise<unknown> => {
  const message = text.trim()
  return answers === null
    ? run(
        once(
          key,
          client.ticketMessagesOnPhone.createTicketMessage({
            payload: { ticketID, senderType: "CustomerRep", message }
          })
        )
      )
    : run(once(key, client.ticketMessages.sendReply({ path: { id: answers }, payload: { modifiedAnswer: message } })))
}

/** Uploads the files first, then sends the answer: it is not sent without all of them. */
export const sendWithFiles = async (
  client: Client,
  unsent: UnsentTexts,
  chosen: ChosenFiles,
  ticketID: TicketID,
  begun: Unsent
) => {
  try {
    await chosen.upload(ticketID, begun.answers)
    await sendAnswer(client, ticketID, begun)
  } catch (error) {
    if (isRefusal(error)) {
      unsent.refuse(ticketID)
      await chosen.takeBack(ticketID)
    }
    throw error
  }
  chosen.forget(ticketID)
}

const newestOf = (messages: ReadonlyArray<TicketMessage>) =>
  Math.max(0, ...messages.flatMap(({ messageID, senderType }) => (senderType === "EndUser" ? [messageID] : [])))

/** Closes a ticket after an answer. A question that came while that was being sent must not disappear with it. */
export const closeUnlessAsked = async (
  client: Client,
  { close }: TicketCommands,
  ticket: Ticket,
  seen: ReadonlyArray<TicketMessage>
) => {
  const { ticketID: ticketId } = ticket
  try {
    const { items } = await firstOf(
      2,
      (page) =>
        run(
          client.ticketMessages.listTicketMessages({
            urlParams: { ticketId, ...page, sortBy: "dateCreated", sortOrder: "desc" }
          })
        ),
      10
    )
    if (newestOf(items) <= newestOf(seen)) return await close(ticket)
    toast("Sent. The customer has written again, so the ticket stays open.")
  } catch (error) {
    toast(`Sent, but the ticket is not closed: ${wordsFor(error)}`)
  }
}
