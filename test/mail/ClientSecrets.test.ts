import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelID } from "../../schema/Ids.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { mailApp } from "../support/MailApp.ts"
import { baseUrl, clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"

const place = "/api/Channels"
const secretField = "overrideMailProviderClientSecret"
const email = { channelType: "Email", name: "Mail", isActive: true, emailAddress: "mail@acme.example" } as const
const elsewhere = { ...email, overrideMailProviderAuthorityURL: "https://elsewhere.example/acme" }

/** Sets the customer's own credentials, with its own authority or the default one. */
const configure = (mailProviderAuthorityURL: string | null) =>
  Effect.flatMap(clientOf("acme-admin"), ({ customers }) =>
    customers.updateCustomer({
      payload: {
        mailProviderTenantID: simulatedCredentials.tenantID,
        mailProviderClientID: simulatedCredentials.clientID,
        mailProviderClientSecret: simulatedCredentials.clientSecret,
        mailProviderAuthorityURL
      }
    })
  )

const subscribed = (channelID: ChannelID) =>
  Effect.flatMap(tokenOf("acme-agent"), (token) =>
    sendJson("POST", `/api/MailWebhook/subscribe/${channelID}`, { token })
  )

layer(mailApp(), { excludeTestServices: true })("The client secret of a mail provider", (it) => {
  it.effect("must be given along with an authority that is not the customer's", () =>
    Effect.gen(function* () {
      yield* configure(null)
      const token = yield* tokenOf("acme-agent")
      expect(yield* refusedPaths("POST", place, token, elsewhere)).toEqual([secretField])
      expect(yield* refusedPaths("POST", place, token, { ...elsewhere, [secretField]: "********" })).toEqual([
        secretField
      ])

      const { channels } = yield* clientOf("acme-agent")
      const { channelID } = yield* channels.createChannel({ payload: { ...elsewhere, [secretField]: "its own" } })
      const path = { id: channelID }
      const refused = (body: unknown) => refusedPaths("PUT", `${place}/${channelID}`, token, body)
      expect(yield* refused({ [secretField]: null })).toEqual([secretField])
      const third = { overrideMailProviderAuthorityURL: "https://third.example" }
      expect(yield* refused(third)).toEqual([secretField])
      expect(yield* refused({ ...(yield* channels.getChannel({ path })), ...third })).toEqual([secretField])
      expect(yield* refused({ overrideMailProviderAuthorityURL: "http://elsewhere.example/acme" })).toEqual([
        secretField
      ])

      const sameHost = { overrideMailProviderAuthorityURL: "https://elsewhere.example/other" }
      yield* channels.updateChannel({ path, payload: sameHost })
      yield* channels.updateChannel({ path, payload: { ...(yield* channels.getChannel({ path })), name: "Back" } })
      yield* channels.updateChannel({ path, payload: { ...third, [secretField]: "another" } })
      yield* channels.updateChannel({ path, payload: { overrideMailProviderAuthorityURL: null } })
      yield* channels.updateChannel({ path, payload: { [secretField]: null } })
      const usual = { overrideMailProviderAuthorityURL: "https://login.microsoftonline.com/organizations" }
      yield* channels.updateChannel({ path, payload: usual })
      yield* channels.createChannel({ payload: { ...email, ...usual } })
    })
  )

  it.effect("falls back to the customer's only at the customer's own authority", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      yield* server.serviceAt(yield* baseUrl)
      const { channels } = yield* clientOf("acme-agent")
      yield* configure(server.authorityUrl)
      const { channelID } = yield* channels.createChannel({
        payload: { ...email, overrideMailProviderAuthorityURL: `${server.authorityUrl}/` }
      })
      yield* configure(null)
      const refusal = yield* subscribed(channelID)
      expect([refusal.status, refusal.json]).toMatchObject([
        400,
        { message: expect.stringContaining("set an overrideMailProviderClientSecret") }
      ])
      expect(server.state.tokenRequests).toBe(0)
      yield* channels.updateChannel({ path: { id: channelID }, payload: { name: "It can still be renamed" } })

      yield* configure(server.authorityUrl)
      expect((yield* subscribed(channelID)).status).toBe(200)
      expect(server.state.tokenRequests).toBe(1)
    })
  )
})
