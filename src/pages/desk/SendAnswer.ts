import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { ChosenFiles } from "./ChosenFiles.ts"
import { type Client, isRefusal, once, run } from "./Client.ts"
import type { Unsent, UnsentTexts } from "./Unsent.ts"

/** The message that an answer would be to: the customer's last one, unless it has been answered. */
export const unanswered = (messages: ReadonlyArray<TicketMessage>) => {
  const last = messages.findLast(({ senderType }) => senderType === "EndUser")
  return last?.status === "Replied" ? undefined : last
}

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
