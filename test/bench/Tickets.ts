import { compareServers } from "./Contestants.ts"
import { growthWithTickets } from "./Growth.ts"
import { ticketContests } from "./TicketContests.ts"

/** Benchmarks only the tickets: how they scale, and how fast they are compared with the other servers. */
export const benchTickets = async () => {
  await growthWithTickets()
  await compareServers(async (setting) => ticketContests(setting))
}
