import type { CustomerRepID, TicketID } from "../../../schema/Ids.ts"
import type { Ticket, TicketUpdate } from "../../../schema/Tickets.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { toast } from "./Toast.ts"

/** What a representative does to a ticket; what can be taken back says how. */
export const makeTicketCommands = (client: Client, onDone: () => void) => {
  const takeBack = async (ticketID: TicketID, payload: TicketUpdate) => {
    try {
      await run(client.tickets.updateTicket({ path: { id: ticketID }, payload }))
    } catch (error) {
      toast(wordsFor(error))
    }
    onDone()
  }
  const change = async (
    { ticketID }: Ticket,
    payload: TicketUpdate,
    done: string,
    undo?: TicketUpdate
  ): Promise<void> => {
    try {
      await run(client.tickets.updateTicket({ path: { id: ticketID }, payload }))
      toast(done, undo && { name: "Undo", run: () => void takeBack(ticketID, undo) })
    } catch (error) {
      toast(wordsFor(error))
    }
    onDone()
  }
  return {
    close: (ticket: Ticket) => change(ticket, { status: "Closed" }, "Closed.", { status: ticket.status }),
    reopen: (ticket: Ticket) => change(ticket, { status: "Open" }, "Open again."),
    markSpam: (ticket: Ticket) => change(ticket, { isSpam: true }, "Moved to spam.", { isSpam: false }),
    markNotSpam: (ticket: Ticket) => change(ticket, { isSpam: false }, "No longer spam."),
    assign: (ticket: Ticket, customerRepID: CustomerRepID | null) =>
      change(ticket, { customerRepID }, customerRepID === null ? "Assigned to nobody." : "Assigned.")
  }
}

export type TicketCommands = ReturnType<typeof makeTicketCommands>
