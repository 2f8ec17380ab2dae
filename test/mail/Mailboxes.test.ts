import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../../src/channels/ChannelsRepo.ts"
import { CustomerProfileRepo } from "../../src/customers/CustomerProfileRepo.ts"
import { CustomerSettings } from "../../src/customers/CustomerSettings.ts"
import { Mailboxes } from "../../src/mail/Mailboxes.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const customerID = CustomerID.make(1)

const parts = Layer.mergeAll(
  CustomerSettings.layer.pipe(Layer.provide(CustomerProfileRepo.layer)),
  ChannelsRepo.layer
).pipe(Layer.provideMerge(Secrets.layer), Layer.provide([settingsLayer(), TestDatabase]))

/** An Admin moves the customer to another authority, and gives it a new secret, after so many readings. */
const movedAfter = (readings: number) =>
  Effect.gen(function* () {
    const real = yield* CustomerSettings
    let read = 0
    const moving = Layer.succeed(CustomerSettings, {
      get: (id) =>
        Effect.map(real.get(id), (customer) => {
          read += 1
          const host = read > readings ? "new" : "old"
          return {
            ...customer,
            mailProviderTenantID: "tenant",
            mailProviderClientID: "client",
            mailProviderClientSecret: Redacted.make(`secret for ${host}`),
            mailProviderAuthorityURL: `https://${host}.example`
          }
        })
    })
    return Context.get(yield* Layer.build(Mailboxes.layer.pipe(Layer.provide(moving))), Mailboxes)
  })

layer(parts, { excludeTestServices: true })("A mailbox", (it) => {
  it.scoped("is found with one reading of the customer's settings, so that no secret goes to another's host", () =>
    Effect.gen(function* () {
      const channels = yield* (yield* ChannelsRepo).list(customerID)
      const channel = {
        ...(yield* Effect.fromNullable(channels.find(({ channelType }) => channelType === "Email"))),
        emailAddress: "support@acme.example",
        overrideMailProviderClientSecret: null,
        overrideMailProviderAuthorityURL: "https://new.example"
      }
      for (const readings of [1, 2]) {
        const ofIt = (yield* movedAfter(readings)).of(customerID, channel)
        const findIt = (yield* movedAfter(readings)).find(customerID, channel)
        for (const way of [Effect.asVoid(ofIt), Effect.asVoid(findIt)]) {
          expect((yield* Effect.flip(way)).message).toMatch(/on another host than the customer's/)
        }
      }
    })
  )
})
