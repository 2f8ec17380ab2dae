import { expect, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { eventually } from "../support/Eventually.ts"
import { field } from "../support/Fields.ts"
import { quietApp, send, tokenOf } from "../support/TestApp.ts"
import { channelTokenOf, repPeer, say, visitorPeer } from "./HubTools.ts"
import { frame, handshake, rawHub, separator } from "./RawHub.ts"

const visitor = (customer: "Acme" | "Globex", address: string) =>
  Effect.flatMap(channelTokenOf(customer), (token) =>
    rawHub(`?channelToken=${token}`, [
      `Origin: https://${customer.toLowerCase()}.example`,
      `X-Forwarded-For: ${address}`
    ])
  )

const letIn = /^HTTP\/1\.1 101 /
const turnedAway = /^HTTP\/1\.1 429 .*\r\nretry-after: \d+\r\n/is

/** Connects once the place of a client that left before is free again. */
const welcomed = (customer: "Acme" | "Globex", address: string) =>
  eventually(visitor(customer, address), ({ answer }) => letIn.test(answer))

layer(quietApp({ HUB_LIMIT: "2", HUB_LIMIT_ADDRESS: "3" }), { excludeTestServices: true })("The hub", (it) => {
  it.scoped("limits a customer's visitors, without taking places from representatives and other customers", () =>
    Effect.gen(function* () {
      const first = yield* visitor("Acme", "192.0.2.1")
      const second = yield* visitor("Acme", "192.0.2.2")
      expect([first.answer, second.answer]).toEqual([expect.stringMatching(letIn), expect.stringMatching(letIn)])
      expect((yield* visitor("Acme", "192.0.2.3")).answer).toMatch(turnedAway)
      const token = yield* channelTokenOf("Acme")
      const { headers, json, status } = yield* send("POST", `/chatHub/negotiate?channelToken=${token}`, {
        headers: { Origin: "https://acme.example" }
      })
      expect([status, field(json, "message")]).toEqual([429, "Too many connections are open for this organisation."])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      yield* repPeer("acme-agent")
      expect((yield* visitor("Globex", "192.0.2.3")).answer).toMatch(letIn)
      first.socket.destroy()
      yield* welcomed("Acme", "192.0.2.3")
      expect((yield* visitor("Acme", "192.0.2.4")).answer).toMatch(turnedAway)
    })
  )

  it.scoped("limits the connections of an address, whichever customer it visits", () =>
    Effect.gen(function* () {
      const here = "198.51.100.7"
      for (const customer of ["Acme", "Globex", "Globex"] as const) {
        yield* welcomed(customer, here)
      }
      expect((yield* visitor("Acme", here)).answer).toMatch(turnedAway)
      yield* welcomed("Acme", "198.51.100.8")
    })
  )

  it.scoped("cuts off a client that floods it, and nobody else", () =>
    Effect.gen(function* () {
      const other = yield* repPeer("globex-admin")
      const flooding = yield* rawHub(`?access_token=${yield* tokenOf("acme-agent")}`)
      yield* flooding.send(frame(handshake))
      expect(yield* flooding.next).toBe(`{}${separator}`)
      const flood = frame(`{"type":1,"target":"Nothing"}${separator}`.repeat(60))
      yield* flooding.send(flood).pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.raceFirst(flooding.closed))
      expect(yield* flooding.next).toMatch(/"type":7,"error":"Too many messages were sent\."/)
      expect((yield* Effect.flip(other.invoke("Nothing"))).message).toMatch(/There is no method Nothing/)
    })
  )
})

layer(quietApp({ HUB_LIMIT_MESSAGES: "3" }), { excludeTestServices: true })("The chat", (it) => {
  it.scoped("limits what the visitors at one address send in a minute, and nobody else", () =>
    Effect.gen(function* () {
      const here = { address: "203.0.113.5" }
      const [one, other] = [yield* visitorPeer(here), yield* visitorPeer(here)]
      const { ticketID } = yield* say(one, "First")
      yield* say(other, "Second")
      const refused = <E extends { readonly message: string }>(call: Effect.Effect<unknown, E>) =>
        Effect.map(Effect.flip(Effect.repeatN(call, 50)), ({ message }) => message)
      for (const visitor of [one, other]) {
        expect(yield* refused(say(visitor, "More"))).toMatch(/Too many messages .* in \d+ seconds/)
        expect(yield* refused(visitor.invoke("RequestAgent", {}))).toMatch(/Too many messages/)
      }
      yield* say(yield* visitorPeer({ address: "203.0.113.6" }), "From elsewhere")
      const rep = yield* repPeer("acme-agent")
      for (const message of ["1", "2", "3", "4"]) yield* say(rep, message, ticketID)
    })
  )
})
