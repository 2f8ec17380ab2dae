import type { CustomerRepID, TicketID } from "../../../schema/Ids.ts"
import type { Ticket, TicketUpdate } from "../../../schema/Tickets.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { isStillClosed, isStillSpam, statusBefore, wasEscalated } from "./TakingBack.ts"
import { toast } from "./Toast.ts"

/** How to undo a command. */
interface Undo {
  readonly name: string
  readonly payload: TicketUpdate
  /** Whether the ticket still is as the command has made it: what others did to it since is not undone. */
  readonly isAsMade: (now: Ticket) => boolean
  /** What to say afterwards if the ticket is not quite as before. */
  readonly done?: string
}

const undoClosing = (before: Ticket): Undo => {
  const how = { payload: { status: statusBefore(before) }, isAsMade: (now: Ticket) => isStillClosed(before, now) }
  return wasEscalated(before)
    ? { ...how, name: "Reopen as Open", done: "Ticket reopened. It is no longer escalated." }
    : { ...how, name: "Undo" }
}

const undoSpam = (before: Ticket): Undo => ({
  name: "Undo",
  payload: { isSpam: false, status: statusBefore(before) },
  isAsMade: (now) => isStillSpam(before, now),
  ...(wasEscalated(before) && { done: "Moved out of spam. It is no longer escalated." })
})

/** What a representative can do to a ticket; commands that can be undone offer it. */
export const makeTicketCommands = (client: Client, onDone: () => void) => {
  const takeBack = async (ticketID: TicketID, { done, isAsMade, payload }: Undo) => {
    const path = { id: ticketID }
    try {
      if (isAsMade(await run(client.tickets.getTicket({ path })))) {
        await run(client.tickets.updateTicket({ path, payload }))
        if (done !== undefined) toast(done)
      } else toast("The ticket has changed in the meantime.")
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
