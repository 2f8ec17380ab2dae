import { type Contest, reads } from "./Compare.ts"
import type { Setting } from "./Contestants.ts"
import { rareWord } from "./Growth.ts"
import { throughput } from "./Load.ts"
import { newMessage } from "./NewMessage.ts"

/** The requests that representatives make all day. */
export const ticketContests = ({ customer, token }: Setting): ReadonlyArray<Contest> => {
  const get = (name: string, path: string, sent: { readonly token?: string } = { token }): Contest => ({
    name,
    open: async (base) => throughput(base, { method: "GET", path, ...sent }),
    ...reads
  })
  return [
    get("ping, no login", "/health/live", {}),
    get("single get", `/tickets/${customer.ticketID}`),
    get("ticket list", "/tickets"),
    get("filtered list", "/tickets?status=Open"),
    get("search", `/tickets?search=${rareWord}`),
    get("message list", `/tickets/${customer.ticketID}/messages`),
    { name: "create-new", open: async (base) => throughput(base, newMessage(customer, token)), toTwin: 0.8 }
  ]
}
