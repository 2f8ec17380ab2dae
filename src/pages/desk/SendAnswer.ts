import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { type Client, once, Problem, run } from "./Client.ts"
import type { Unsent } from "./Unsent.ts"

/** What an answer would be to: the last thing that the customer said and nobody answered. */
export const unanswered = (messages: ReadonlyArray<TicketMessage>) => {
  const last = messages.findLast(({ senderType }) => senderType === "EndUser")
  return last?.status === "Replied" ? undefined : last
}

/** Who was faster with what a text was to answer. A text that was tried may be that answer itself. */
export const answeredBy = (messages: ReadonlyArray<TicketMessage>, unsent: Unsent | undefined) => {
  if (unsent === undefined || unsent.isTried || unsent.text.trim() === "") return undefined
  const at = messages.findIndex(({ messageID }) => messageID === unsent.answers)
  if (messages[at]?.status !== "Replied") return undefined
  const answer = messages.slice(at + 1).findLast(({ senderType }) => senderType === "CustomerRep")
  return answer === undefined ? "Somebody" : (answer.customerRepName ?? "Automation")
}

/** Sends it as the answer to its message, else as a message of its own; once, however often it is tried. */
export const sendAnswer = (client: Client, ticketID: TicketID, { answers, key, text }: Unsent): Promise<unknown> => {
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

/** Whether the service itself said no, so that nothing has happened. */
export const isRefusal = (error: unknown) =>
  error instanceof Problem && error.status !== undefined && error.status >= 400 && error.status < 500
