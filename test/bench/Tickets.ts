import { compareServers } from "./Contestants.ts"
import { growthWithTickets } from "./Growth.ts"
import { ticketContests } from "./TicketContests.ts"

/** Tickets alone: how they grow, and how fast they are beside others. */
export const benchTickets = async () => {
  await growthWithTickets()
  await compareServers(async (setting) => ticketContests(setting))
}
