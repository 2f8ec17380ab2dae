import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelCreate } from "../../schema/Channels.ts"
import { ChannelID } from "../../schema/Ids.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"

const create = (payload: ChannelCreate, username = "acme-admin") =>
  Effect.flatMap(clientOf(username), ({ channels }) => channels.createChannel({ payload }))

const email = { channelType: "Email", name: "Mail", isActive: true } as const
const chat = { channelType: "Chat", name: "Chat", isActive: true } as const

layer(testApp(), { excludeTestServices: true })("Channels", (it) => {
  it.effect("are created, read, listed, changed and deleted", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const channel = yield* create({ ...chat, hostnames: "shop.acme.example, acme.example" })
      expect(channel).toMatchObject({
        ...chat,
        hostnames: "shop.acme.example, acme.example",
        emailAddress: null,
        phoneNumber: null,
        connectionDetails: null,
        isDefaultTranslationChannel: false,
        autoRetrieveEmails: false,
        overrideMailProviderClientSecret: null
      })
      expect(channel.token).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const path = { id: channel.channelID }
      expect(yield* channels.getChannel({ path })).toEqual(channel)
      expect(yield* channels.listChannels()).toContainEqual(channel)

      yield* channels.updateChannel({ path, payload: { name: "Renamed", hostnames: null } })
      expect(yield* channels.getChannel({ path })).toEqual({ ...channel, name: "Renamed", hostnames: null })
      const token = yield* tokenOf("acme-admin")
      const put = { token, body: { token: "00000000-0000-4000-8000-000000000000", customerID: 2 } }
      expect((yield* sendJson("PUT", `/api/Channels/${path.id}`, put)).status).toBe(204)
      expect(yield* channels.getChannel({ path })).toMatchObject({
        token: channel.token,
        customerID: channel.customerID
      })

      yield* channels.deleteChannel({ path })
      expect(yield* Effect.flip(channels.getChannel({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(channels.deleteChannel({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(channels.updateChannel({ path, payload: {} }))).toMatchObject({ status: 404 })
      expect((yield* channels.listChannels()).map(({ channelID }) => channelID)).not.toContain(path.id)
    })
  )

  it.effect("have the fields of their type and no others", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const mailFields = {
        emailAddress: "a@acme.example",
        autoRetrieveEmails: true,
        overrideMailProviderTenantID: "t",
        overrideMailProviderClientID: "c",
        overrideMailProviderClientSecret: "s",
        overrideMailProviderAuthorityURL: "https://login.example",
        overrideMailProviderScope: "x"
      }
      const chatFields = { hostnames: "acme.example", isDefaultTranslationChannel: true }
      const fields = { ...mailFields, ...chatFields, phoneNumber: "+15550199" }
      const foreign = (own: object) =>
        Object.keys(fields)
          .filter((field) => !(field in own))
          .sort()
      const own = { Email: mailFields, Chat: chatFields, Phone: { phoneNumber: "" }, WhatsApp: {} }
      for (const [channelType, allowed] of Object.entries(own)) {
        const body = { channelType, name: "x", isActive: false, ...fields }
        expect((yield* refusedPaths("POST", "/api/Channels", token, body)).sort()).toEqual(foreign(allowed))
        const { channelID } = yield* create(chat)
        const change = refusedPaths("PUT", `/api/Channels/${channelID}`, token, { channelType, ...fields })
        expect((yield* change).sort()).toEqual(foreign(allowed))
      }
    })
  )

  it.effect("refuse malformed addresses, hosts and numbers, and take empty texts for null", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const refused = (body: object) => refusedPaths("POST", "/api/Channels", token, body)
      expect(yield* refused({})).toEqual(["channelType", "name", "isActive"])
      expect(yield* refused({ ...chat, channelType: "Fax" })).toEqual(["channelType"])
      expect(yield* refused({ ...email, emailAddress: "nobody" })).toEqual(["emailAddress"])
      expect(yield* refused({ ...chat, hostnames: "https://acme.example/" })).toEqual(["hostnames"])
      expect(yield* refused({ ...email, overrideMailProviderAuthorityURL: "login" })).toEqual([
        "overrideMailProviderAuthorityURL"
      ])
      const phone = { channelType: "phone", name: "Phone", isActive: true }
      for (const phoneNumber of ["15550100", "+123456", "+1234567890123456", "+1555 0100", "+1555x100"]) {
        expect([phoneNumber, yield* refused({ ...phone, phoneNumber })]).toEqual([phoneNumber, ["phoneNumber"]])
      }
      const whatsApp = { ...phone, channelType: "WhatsApp" }
      expect(yield* refused({ ...whatsApp, connectionDetails: "our number" })).toEqual(["connectionDetails"])
      const good = [
        { ...phone, phoneNumber: "+1234567", emailAddress: "", hostnames: "  ", autoRetrieveEmails: false },
        { ...phone, phoneNumber: "+123456789012345" },
        { ...whatsApp, connectionDetails: "+15550123" },
        { ...email, connectionDetails: "whatever it is", emailAddress: "" }
      ]
      for (const body of good) {
        const { json, status } = yield* sendJson("POST", "/api/Channels", { token, body })
        expect([status, json]).toMatchObject([200, { emailAddress: null, hostnames: null }])
      }
    })
  )

  it.effect("lose the fields of a type that they no longer have", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const { channelID } = yield* create({ ...email, emailAddress: "a@acme.example", autoRetrieveEmails: true })
      const path = { id: channelID }
      yield* channels.updateChannel({ path, payload: { channelType: "Phone", phoneNumber: "+15550123" } })
      expect(yield* channels.getChannel({ path })).toMatchObject({
        channelType: "Phone",
        phoneNumber: "+15550123",
        emailAddress: null,
        autoRetrieveEmails: false
      })
    })
  )

  it.effect("keep their type while they have tickets, but can be changed otherwise", () =>
    Effect.gen(function* () {
      const { channels, tickets } = yield* clientOf("acme-admin")
      const { channelID } = yield* create({ ...email, emailAddress: "kept@acme.example" })
      const path = { id: channelID }
      const { ticketID } = yield* tickets.createTicket({ payload: { channelID, subject: "Keys" } })
      const change = channels.updateChannel({ path, payload: { channelType: "Chat" } })
      expect(yield* Effect.flip(change)).toMatchObject({
        _tag: "Conflict",
        status: 409,
        message: expect.stringMatching(/^The type of a channel that has tickets cannot be changed/)
      })
      expect(yield* channels.getChannel({ path })).toMatchObject({ ...email, emailAddress: "kept@acme.example" })
      yield* channels.updateChannel({ path, payload: { ...(yield* channels.getChannel({ path })), name: "Renamed" } })
      expect(yield* channels.getChannel({ path })).toMatchObject({ channelType: "Email", name: "Renamed" })
      yield* tickets.deleteTicket({ path: { id: ticketID } })
      yield* change
      expect(yield* channels.getChannel({ path })).toMatchObject({ channelType: "Chat", emailAddress: null })
    })
  )

  it.effect("become WhatsApp channels only with a number, even when the change does not mention it", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { channels } = yield* clientOf("acme-admin")
      const { channelID } = yield* create({ ...email, connectionDetails: "the shared mailbox" })
      const path = { id: channelID }
      const place = `/api/Channels/${channelID}`
      expect(yield* refusedPaths("PUT", place, token, { channelType: "WhatsApp" })).toEqual(["connectionDetails"])
      expect((yield* channels.getChannel({ path })).channelType).toBe("Email")
      yield* channels.updateChannel({ path, payload: { channelType: "WhatsApp", connectionDetails: "+15550123" } })
      yield* channels.updateChannel({ path, payload: { name: "Renamed" } })
      expect(yield* channels.getChannel({ path })).toMatchObject({
        channelType: "WhatsApp",
        connectionDetails: "+15550123"
      })
    })
  )

  it.effect("have only one default for translations", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("globex-admin")
      const first = yield* create({ ...chat, isDefaultTranslationChannel: true }, "globex-admin")
      const second = yield* create({ ...chat, isDefaultTranslationChannel: true }, "globex-admin")
      const defaults = Effect.map(channels.listChannels(), (all) =>
        all.filter((channel) => channel.isDefaultTranslationChannel).map(({ channelID }) => channelID)
      )
      expect(yield* defaults).toEqual([second.channelID])
      const payload = { isDefaultTranslationChannel: true }
      yield* channels.updateChannel({ path: { id: first.channelID }, payload })
      yield* channels.updateChannel({ path: { id: first.channelID }, payload })
      expect(yield* defaults).toEqual([first.channelID])
      const rivals = [first, second].map(({ channelID }) =>
        channels.updateChannel({ path: { id: channelID }, payload })
      )
      yield* Effect.all([...rivals, ...rivals], { concurrency: "unbounded" })
      expect(yield* defaults).toHaveLength(1)
      yield* channels.deleteChannel({ path: { id: (yield* defaults)[0] ?? first.channelID } })
      expect(yield* defaults).toEqual([])
    })
  )

  it.effect("have only one default for translations even when many claim it at once", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("initech-admin")
      const body = { ...chat, isDefaultTranslationChannel: true }
      const plain = yield* Effect.replicateEffect(create(chat, "initech-admin"), 4)
      const rivals = [
        ...plain.map(({ channelID }) => sendJson("PUT", `/api/Channels/${channelID}`, { token, body })),
        ...Array.from({ length: 4 }, () => sendJson("POST", "/api/Channels", { token, body }))
      ]
      for (let round = 0; round < 3; round += 1) {
        const answers = yield* Effect.all(rivals, { concurrency: "unbounded" })
        expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 200, 200, 200, 200])
      }
      const { channels } = yield* clientOf("initech-admin")
      const all = yield* channels.listChannels()
      expect(all.filter((channel) => channel.isDefaultTranslationChannel)).toHaveLength(1)
    })
  )

  it.effect("mask and encrypt the secret of their mail provider", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channels } = yield* clientOf("acme-admin")
      const channel = yield* create({ ...email, overrideMailProviderClientSecret: "very secret" })
      expect(channel.overrideMailProviderClientSecret).toBe("********")
      const path = { id: channel.channelID }
      const stored = Effect.map(
        sql<{ secret: string | null }>`select override_mail_provider_client_secret as secret from channel
          where customer_id = ${channel.customerID} and channel_id = ${channel.channelID}`,
        ([row]) => row?.secret
      )
      const sealed = yield* stored
      expect(sealed).not.toContain("very secret")
      yield* channels.updateChannel({ path, payload: { ...(yield* channels.getChannel({ path })), name: "Sent back" } })
      expect(yield* stored).toBe(sealed)
      yield* channels.updateChannel({ path, payload: { overrideMailProviderClientSecret: "" } })
      expect([yield* stored, (yield* channels.getChannel({ path })).overrideMailProviderClientSecret]).toEqual([
        null,
        null
      ])
    })
  )

  it.effect("leave their tickets in place when they are deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channels } = yield* clientOf("acme-admin")
      const { channelID, customerID } = yield* create(email)
      yield* sql`
        insert into ticket (customer_id, channel_id, status, subject) values (${customerID}, ${channelID}, 'Open', 'Keys')`
      yield* channels.deleteChannel({ path: { id: ChannelID.make(channelID) } })
      const rows = yield* sql`
        select subject from ticket where customer_id = ${customerID} and channel_id = ${channelID}`
      expect(rows).toEqual([{ subject: "Keys" }])
    })
  )
})
