import type { Ticket } from "../../../schema/Tickets.ts"

/**
 * The status that a ticket goes back to. An escalated ticket becomes a plain open one: escalating it again would send
 * another notification and run all the actions for it again.
 */
export const statusBefore = ({ status }: Ticket) => (status === "Escalated" ? "Open" : status)

export const wasEscalated = ({ status }: Ticket) => status === "Escalated"

/** Whether a ticket is still as closing it has made it. */
export const isStillClosed = (before: Ticket, now: Ticket) => now.isClosed && now.isSpam === before.isSpam

/** Whether a ticket is still as marking it as spam has made it: an automation may have closed it as well. */
export const isStillSpam = (before: Ticket, now: Ticket) =>
  now.isSpam && (now.isClosed || now.status === statusBefore(before))
