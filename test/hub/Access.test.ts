import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Reactions } from "../../src/events/EventHooks.ts"
import { capturedLog } from "../http/CapturedLog.ts"
import { expectError } from "../http/ErrorBody.ts"
import { eventually } from "../support/Eventually.ts"
import { attemptPhoneLogin, tokenIn } from "../support/Logins.ts"
import { clientOf, send, testNode, tokenOf } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { channelOf } from "../tickets/TicketTools.ts"
import { channelTokenOf, peer, repPeer, say, visitorPeer } from "./HubTools.ts"

const negotiate = (query: string, headers: Readonly<Record<string, string>> = {}) =>
  send("POST", `/chatHub/negotiate${query}`, { headers })

const log = capturedLog()

const quietNode = testNode(TestDatabase, {}, log.layer).pipe(Layer.provide(Layer.succeed(Reactions, () => undefined)))

layer(quietNode, { excludeTestServices: true })("The hub", (it) => {
  it.effect("negotiates in both versions", () =>
    Effect.gen(function* () {
      const authorization = `Bearer ${yield* tokenOf("acme-agent")}`
      const transports = [{ transport: "WebSockets", transferFormats: ["Text"] }]
      const old = yield* negotiate("", { authorization })
      expect(old.json).toEqual({
        connectionId: expect.any(String),
        negotiateVersion: 0,
        availableTransports: transports
      })
      const current = yield* negotiate("?negotiateVersion=1", { authorization })
      expect(current.json).toMatchObject({ negotiateVersion: 1, connectionToken: expect.any(String) })
      expect((yield* negotiate("?negotiateVersion=2", { authorization })).json).toMatchObject({ negotiateVersion: 1 })
    })
  )

  it.scoped("admits representatives by header or query, with or without negotiation, in any spelling", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-agent")
      yield* peer("", { token })
      yield* peer("", { token, skipNegotiation: true })
      yield* peer(`?access_token=${token}`, { skipNegotiation: true })
      yield* peer(`/?ACCESS_TOKEN=${token}`)
    })
  )

  it.scoped("admits visitors only from the channel's own hosts", () =>
    Effect.gen(function* () {
      const query = `?channelToken=${yield* channelTokenOf("Acme")}`
      yield* peer(query, { origin: "https://ACME.example:8443" })
      yield* peer(query, { origin: "http://localhost:3000", skipNegotiation: true })
      for (const origin of ["https://evil.example", "https://acme.example.evil.example", "null", "x", undefined]) {
        expectError(yield* negotiate(query, origin === undefined ? {} : { origin }), 403, /hostnames/)
        yield* Effect.flip(peer(query, { skipNegotiation: true, ...(origin !== undefined && { origin }) }))
      }
      const { channels } = yield* clientOf("acme-admin")
      const { channelID, token } = yield* channels.createChannel({
        payload: { channelType: "Chat", name: "Anywhere", isActive: true }
      })
      yield* peer(`?channelToken=${token}`)
      yield* peer(`?channelToken=${token}`, { origin: "https://evil.example" })
      yield* channels.updateChannel({ path: { id: channelID }, payload: { isActive: false } })
      expectError(yield* negotiate(`?channelToken=${token}`), 401, /active chat channel/)
      yield* channels.updateChannel({ path: { id: channelID }, payload: { isActive: true } })
      const late = yield* peer(`?channelToken=${token}`)
      yield* channels.deleteChannel({ path: { id: channelID } })
      expectError(yield* negotiate(`?channelToken=${token}`), 401, /active chat channel/)
      expect((yield* late.ended)?.message).toMatch(/switched off/)
    })
  )

  it.effect("refuses everybody else before a socket is opened", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const email = yield* channels.getChannel({ path: { id: yield* channelOf("Email") } })
      const phone = tokenIn(yield* attemptPhoneLogin())
      for (const [query, status] of [
        ["", 401],
        ["?access_token=", 401],
        ["?access_token=nonsense", 401],
        ["?channelToken=nonsense", 401],
        ["?channelToken=4b7f6d0e-51c2-4f0c-9a55-0d1b1f1f2f3f", 401],
        [`?channelToken=${email.token}`, 401],
        [`?access_token=${phone}`, 403]
      ] as const) {
        expectError(yield* negotiate(query), status, /./)
        expectError(yield* send("GET", `/chatHub${query}`), status, /./)
        yield* Effect.flip(Effect.scoped(peer(query, { skipNegotiation: true })))
      }
      const token = yield* tokenOf("acme-agent")
      expectError(yield* send("GET", `/chatHub?access_token=${token}`), 400, /WebSocket/)
      expectError(yield* send("POST", `/chatHub?access_token=${token}`), 405, /GET/)
    })
  )

  it.scoped("never writes a token to the log", () =>
    Effect.gen(function* () {
      log.clear()
      const token = yield* tokenOf("acme-agent")
      yield* peer(`?access_token=${token}`, { skipNegotiation: true })
      const { ticketToken } = yield* say(yield* visitorPeer({ skipNegotiation: true }), "Hello")
      const channelToken = yield* channelTokenOf("Acme")
      // A connection may send messages before the line about its opening is logged.
      const requests = yield* eventually(
        Effect.sync(() => log.entries().filter(({ annotations }) => String(annotations["url"]).startsWith("/chatHub"))),
        (lines) => lines.length >= 2
      )
      expect(requests.map(({ annotations: { status, url } }) => `${url} ${status}`).sort()).toEqual([
        "/chatHub?access_token=redacted 101",
        "/chatHub?channelToken=redacted 101"
      ])
      for (const secret of [token, channelToken, ticketToken]) expect(log.lines().join()).not.toContain(secret)
      yield* repPeer("acme-agent")
    })
  )
})
