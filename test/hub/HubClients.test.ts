import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelID, CustomerID, TicketID } from "../../schema/Ids.ts"
import { type HubClient, HubClients } from "../../src/hub/HubClients.ts"
import { processorTime } from "../support/ProcessorTime.ts"

const customerID = CustomerID.make(1)

const visitor = (): HubClient => ({
  caller: { _tag: "Visitor", customerID, channelID: ChannelID.make(1), address: "192.0.2.1" },
  send: () => undefined,
  close: () => undefined
})

it.effect("Thousands of visitors who leave at once are removed quickly and completely", () =>
  Effect.gen(function* () {
    const clients = yield* HubClients
    const visitors = Array.from({ length: 20_000 }, visitor)
    for (const client of visitors) clients.add(client)
    for (const [index, client] of visitors.entries()) {
      clients.follow(client, TicketID.make(index + 1))
      clients.follow(client, TicketID.make(index + 2))
      clients.unfollow(client, TicketID.make(index + 2))
    }
    expect(clients.followers(customerID, TicketID.make(20_000))).toEqual(visitors.slice(-1))
    const started = processorTime()
    const [last, ...others] = visitors.toReversed()
    for (const client of others) clients.remove(client)
    expect(processorTime() - started).toBeLessThan(2_000)
    expect(clients.all(customerID)).toEqual([last])
    for (const id of [1, 2, 10_000, 19_999]) expect(clients.followers(customerID, TicketID.make(id))).toEqual([])
    expect(clients.followers(customerID, TicketID.make(20_000))).toEqual([last])
  }).pipe(Effect.provide(HubClients.layer))
)
