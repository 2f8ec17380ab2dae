import { Effect } from "effect"
import { clientOf } from "../../support/TestApp.ts"

/** The ticket of the chat that began last, with its messages. */
export const newestChat = Effect.gen(function* () {
  const { ticketMessages, tickets } = yield* clientOf("acme-admin")
  const [ticket] = (yield* tickets.listTickets({
    urlParams: { channelType: "Chat", sortBy: "ticketID", sortOrder: "desc" }
  })).items
  if (ticket === undefined) return yield* Effect.dieMessage("there is no chat")
  const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: ticket.ticketID } })
  return { ticket, messages: items }
})
