import type { CustomerRepID, TicketID } from "../../../schema/Ids.ts"
import type { Ticket, TicketUpdate } from "../../../schema/Tickets.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { toast } from "./Toast.ts"

/** How to undo a command. */
interface Undo {
  readonly name: string
  readonly payload: TicketUpdate
  /** What to say afterwards if the ticket is not quite as before. */
  readonly done?: string
}

const undo = (payload: TicketUpdate): Undo => ({ name: "Undo", payload })

/**
 * An escalated ticket is reopened as a plain open one: escalating it again would send another notification and run all
 * the actions for it again.
 */
const undoClosing = ({ status }: Ticket): Undo =>
  status === "Escalated"
    ? { name: "Reopen as Open", payload: { status: "Open" }, done: "Ticket reopened. It is no longer escalated." }
    : undo({ status })

const undoSpam = ({ status }: Ticket): Undo =>
  status === "Escalated"
    ? { ...undo({ isSpam: false }), done: "Moved out of spam. It is no longer escalated." }
    : undo({ isSpam: false })

/** What a representative can do to a ticket; commands that can be undone offer it. */
export const makeTicketCommands = (client: Client, onDone: () => void) => {
  const takeBack = async (ticketID: TicketID, { done, payload }: Undo) => {
    try {
      await run(client.tickets.updateTicket({ path: { id: ticketID }, payload }))
      if (done !== undefined) toast(done)
    } catch (error) {
      toast(wordsFor(error))
    }
    onDone()
  }
  const change = async ({ ticketID }: Ticket, payload: TicketUpdate, done: string, back?: Undo): Promise<void> => {
    try {
      await run(client.tickets.updateTicket({ path: { id: ticketID }, payload }))
      toast(done, back && { name: back.name, run: () => void takeBack(ticketID, back) })
    } catch (error) {
      toast(wordsFor(error))
    }
    onDone()
  }
  return {
    close: (ticket: Ticket) => change(ticket, { status: "Closed" }, "Ticket closed.", undoClosing(ticket)),
    reopen: (ticket: Ticket) => change(ticket, { status: "Open" }, "Ticket reopened."),
    setStatus: (ticket: Ticket, status: Ticket["status"]) =>
      change(
        ticket,
        { status },
        status === "Closed" ? "Ticket closed." : `Status changed to ${status}.`,
        status === "Closed" ? undoClosing(ticket) : undefined
      ),
    markSpam: (ticket: Ticket) => change(ticket, { isSpam: true }, "Moved to spam.", undoSpam(ticket)),
    markNotSpam: (ticket: Ticket) => change(ticket, { isSpam: false }, "Moved out of spam."),
    assign: (ticket: Ticket, customerRepID: CustomerRepID | null) =>
      change(ticket, { customerRepID }, customerRepID === null ? "Unassigned." : "Assigned.")
  }
}

export type TicketCommands = ReturnType<typeof makeTicketCommands>
