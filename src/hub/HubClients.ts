import { Context, Effect, Layer } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import type { ChannelID, CustomerID, TicketID } from "../../schema/Ids.ts"
import type { Attendance } from "./Attendance.ts"

/** A person in a chat window. */
export interface Visitor {
  readonly _tag: "Visitor"
  readonly customerID: CustomerID
  readonly channelID: ChannelID
  /** Its address, or its network: what counts as one sender. */
  readonly address: string
}

export type HubCaller = Representative | Visitor

/** A connection, as seen by code that sends to it. Sending never waits. */
export interface HubClient {
  readonly caller: HubCaller
  readonly send: (text: string) => void
  /** Ends the connection with a last message. */
  readonly close: (text: string) => void
}

interface OfCustomer {
  readonly representatives: Set<HubClient>
  readonly visitors: Set<HubClient>
  /** The clients that follow a ticket: its visitor's windows, and the representatives that joined it. */
  readonly followers: Map<TicketID, Set<HubClient>>
}

/** The clients that are connected to this node. */
export class HubClients extends Context.Tag("casework/HubClients")<
  HubClients,
  {
    readonly add: (client: HubClient) => void
    readonly remove: (client: HubClient) => void
    readonly follow: (client: HubClient, ticketID: TicketID) => void
    readonly unfollow: (client: HubClient, ticketID: TicketID) => void
    readonly follows: (client: HubClient, ticketID: TicketID) => boolean
    readonly has: (customerID: CustomerID) => boolean
    readonly customers: () => ReadonlyArray<CustomerID>
    readonly attendance: () => Attendance
    readonly representatives: (customerID: CustomerID) => Iterable<HubClient>
    readonly followers: (customerID: CustomerID, ticketID: TicketID) => ReadonlyArray<HubClient>
    readonly all: (customerID: CustomerID) => ReadonlyArray<HubClient>
    /** The channels of the connected visitors. */
    readonly visited: () => ReadonlySet<ChannelID>
  }
>() {
  static readonly layer = Layer.effect(
    HubClients,
    Effect.sync(() => makeHubClients())
  )
}

const makeHubClients = () => {
  const known = new Map<CustomerID, OfCustomer>()
  /** The tickets that each client follows, so that thousands of leaving clients do not each search all tickets. */
  const followed = new WeakMap<HubClient, Set<TicketID>>()

  const of = (customerID: CustomerID): OfCustomer => {
    const found = known.get(customerID)
    if (found !== undefined) return found
    const made = { representatives: new Set<HubClient>(), visitors: new Set<HubClient>(), followers: new Map() }
    known.set(customerID, made)
    return made
  }
  const membersOf = ({ representatives, visitors }: OfCustomer, { caller }: HubClient) =>
    caller._tag === "Representative" ? representatives : visitors

  const unfollow = (client: HubClient, ticketID: TicketID) => {
    const followers = known.get(client.caller.customerID)?.followers
    const ofTicket = followers?.get(ticketID)
    ofTicket?.delete(client)
    followed.get(client)?.delete(ticketID)
    if (ofTicket?.size === 0) followers?.delete(ticketID)
  }

  return HubClients.of({
    add: (client) => void membersOf(of(client.caller.customerID), client).add(client),
    remove: (client) => {
      const { customerID } = client.caller
      const mine = known.get(customerID)
      if (mine === undefined) return
      membersOf(mine, client).delete(client)
      for (const ticketID of followed.get(client) ?? []) unfollow(client, ticketID)
      if (mine.representatives.size + mine.visitors.size === 0) known.delete(customerID)
    },
    follow: (client, ticketID) => {
      const mine = known.get(client.caller.customerID)
      // The client may have gone while its call was under way.
      if (mine === undefined || !membersOf(mine, client).has(client)) return
      mine.followers.set(ticketID, (mine.followers.get(ticketID) ?? new Set()).add(client))
      followed.set(client, (followed.get(client) ?? new Set()).add(ticketID))
    },
    unfollow,
    follows: (client, ticketID) => known.get(client.caller.customerID)?.followers.get(ticketID)?.has(client) === true,
    has: (customerID) => known.has(customerID),
    customers: () => [...known.keys()],
    attendance: () => new Map(known),
    representatives: (customerID) => known.get(customerID)?.representatives ?? [],
    followers: (customerID, ticketID) => [...(known.get(customerID)?.followers.get(ticketID) ?? [])],
    all: (customerID) => [
      ...(known.get(customerID)?.representatives ?? []),
      ...(known.get(customerID)?.visitors ?? [])
    ],
    visited: () => {
      const channels = new Set<ChannelID>()
      for (const { visitors } of known.values()) {
        for (const { caller } of visitors) if (caller._tag === "Visitor") channels.add(caller.channelID)
      }
      return channels
    }
  })
}
