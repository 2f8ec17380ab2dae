import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { sendRaw } from "../http/RawRequest.ts"
import { eventually } from "../support/Eventually.ts"
import { quietApp, tokenOf } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"
import { messagesOf, newMessage } from "../ticketMessages/MessageTools.ts"
import { allTold, repPeer, say, toldMessage, visitorPeer } from "./HubTools.ts"
import { frame, handshake, rawHub, separator } from "./RawHub.ts"

const connected = (first = handshake) =>
  Effect.gen(function* () {
    const hub = yield* rawHub(`?access_token=${yield* tokenOf("acme-agent")}`)
    expect(hub.answer).toMatch(/^HTTP\/1\.1 101 /)
    if (first !== "") {
      yield* hub.send(frame(first))
      expect(yield* hub.next).toBe(`{}${separator}`)
    }
    return hub
  })

const call = (target: string, ...given: ReadonlyArray<unknown>) =>
  frame(JSON.stringify({ type: 1, invocationId: "7", target, arguments: given }) + separator)

layer(quietApp(), { excludeTestServices: true })("A client of the hub", (it) => {
  it.scoped("may send records in pieces or several at once, with pings and unknown messages between", () =>
    Effect.gen(function* () {
      const hub = yield* connected("")
      yield* hub.send(frame(handshake.slice(0, 5)))
      yield* hub.send(frame(handshake.slice(5), { isLast: false }), frame("", { opcode: 0 }), frame("", { opcode: 9 }))
      expect(yield* hub.next).toBe(`{}${separator}`)
      yield* hub.send(frame(`{"type":6}${separator}{"type":99}${separator}{"type":1,"invocationId":"a","target":"X"`))
      yield* hub.send(frame(`}${separator}`))
      expect(yield* hub.next).toMatch(/"invocationId":"a","error":"There is no method X\."/)
    })
  )

  it.scoped("is told why and closed when it speaks before its handshake, or nonsense after it", () =>
    Effect.gen(function* () {
      const early = yield* connected("")
      yield* early.send(call("JoinTicket", 1))
      expect(yield* early.next).toMatch(/^\{"error":"The connection must begin with a handshake/)
      yield* early.closed
      for (const [sent, reason] of [
        [frame(`garbage${separator}`), /"type":7,"error":"A message is not valid in the hub protocol/],
        [frame(`[1]${separator}`), /not valid in the hub protocol/],
        [frame("x".repeat(33 * 1024)), /up to 32 KB/],
        [frame(Buffer.from([0x93, 1, 2])), /text, not binary/]
      ] as const) {
        const hub = yield* connected()
        yield* hub.send(sent)
        expect(yield* hub.next).toMatch(reason)
        yield* hub.closed
      }
    })
  )

  it.scoped("is cut off when it sends an invalid frame, or one without end", () =>
    Effect.gen(function* () {
      for (const sent of [
        Buffer.from("GET / HTTP/1.1\r\n\r\n"),
        frame(Buffer.from([0xff, 0xfe, 0xfd]), { opcode: 1 }),
        frame("x", { opcode: 11 }),
        Buffer.concat([frame("x".repeat(200 * 1024), { promised: 2 ** 40 })]),
        Buffer.concat(
          Array.from({ length: 150 }, (_, at) => frame("y".repeat(1000), { isLast: false, opcode: at ? 0 : 1 }))
        )
      ]) {
        const hub = yield* connected()
        yield* hub.send(sent)
        yield* hub.closed
      }
      const half = yield* connected()
      yield* half.send(frame("half", { promised: 100 }))
      half.socket.destroy()
    })
  )

  it.scoped("is told what is wrong with a call, and may go on", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-agent")
      for (const [method, given, reason] of [
        ["Nothing", [], /There is no method Nothing/],
        ["constructor", [1], /There is no method constructor/],
        ["JoinTicket", [], /takes one argument, not 0/],
        ["JoinTicket", [1, 2], /takes one argument, not 2/],
        ["JoinTicket", ["1"], /The argument must be/],
        ["JoinTicket", [null], /The argument must be/],
        ["JoinTicket", [2 ** 31], /The argument must be a whole number/],
        ["JoinTicket", [2 ** 31 - 1], /There is no ticket/],
        ["SendMessage", [7], /The argument must be/],
        ["SendMessage", [{}], /message is required/],
        ["SendMessage", [{ message: " " }], /message must not be empty/],
        ["SendMessage", [{ message: "\u0000" }], /NUL/],
        ["SendMessage", [{ message: "x" }], /ticketID is required/],
        ["SendMessage", [{ message: 5, ticketID: "x" }], /message.*ticketID|ticketID.*message/],
        ["ResumeChat", ["x"], /Only chat visitors/]
      ] as const) {
        expect((yield* Effect.flip(rep.invoke(method, ...given))).message).toMatch(reason)
      }
      const { ticketID } = yield* newMessage({})
      yield* rep.invoke("JoinTicket", ticketID)
      expect(yield* rep.invoke("SendMessage", { MESSAGE: "In any case", TicketId: ticketID })).toMatchObject({
        ticketID
      })
      const hub = yield* connected()
      yield* hub.send(frame(`{"type":4,"invocationId":"s","target":"JoinTicket","arguments":[1]}${separator}`))
      expect(yield* hub.next).toMatch(/"invocationId":"s","error":"No method supports streaming/)
    })
  )

  it.scoped("is served one call at a time, in order, however many it sends at once", () =>
    Effect.gen(function* () {
      const visitor = yield* visitorPeer()
      const texts = Array.from({ length: 12 }, (_, at) => `Message ${at}`)
      const sent = yield* Effect.forEach(texts, (text) => say(visitor, text), { concurrency: "unbounded" })
      expect(new Set(sent.map(({ ticketID }) => ticketID)).size).toBe(1)
      const ids = sent.map(({ messageID }) => messageID)
      expect(ids).toEqual([...ids].sort((a, b) => a - b))
    })
  )

  it.scoped("has its message stored even when it leaves right after sending", () =>
    Effect.gen(function* () {
      const rep = yield* repPeer("acme-admin")
      const { ticketID } = yield* newMessage({})
      const hub = yield* connected()
      yield* allTold(rep)
      yield* hub.send(call("SendMessage", { ticketID, message: "And off" }), frame("", { opcode: 8 }))
      yield* hub.closed
      const [said] = yield* eventually(
        Effect.map(messagesOf(ticketID), (all) => all.filter(({ message }) => message === "And off")),
        ({ length }) => length === 1
      )
      const { messageID } = yield* Effect.fromNullable(said)
      yield* Effect.timeout(toldMessage(rep, messageID), "1 minute")
    })
  )

  if (onPostgres) {
    it.scoped("has its message stored even when it leaves before its presence is recorded", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ticketID } = yield* newMessage({})
        yield* eventually(sql`select 1 from hub_presence where customer_id = 1`, ({ length }) => length === 0)
        const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holding =
          yield* sql`/* all customers: nobody's presence can be written */ lock hub_presence in share mode`.pipe(
            Effect.zipRight(Deferred.succeed(locked, undefined)),
            Effect.zipRight(Deferred.await(goOn)),
            sql.withTransaction,
            Effect.fork
          )
        yield* Deferred.await(locked)
        const hub = yield* connected()
        yield* hub.send(call("SendMessage", { ticketID, message: "Hello and off" }), frame("", { opcode: 8 }))
        yield* hub.closed
        yield* eventually(messagesOf(ticketID), (all) => all.some(({ message }) => message === "Hello and off"))
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(holding)
      })
    )
  }

  it.effect("gets a 400 when its WebSocket handshake is invalid", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-agent")
      const upgrade = (...lines: ReadonlyArray<string>) =>
        sendRaw(
          `GET /chatHub?access_token=${token} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join("\r\n")}\r\n\r\n`
        )
      const key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
      const version = "Sec-WebSocket-Version: 13"
      for (const lines of [
        [],
        [key],
        [version, "Sec-WebSocket-Key: x"],
        [key, "Sec-WebSocket-Version: 7"],
        [key, version, "Sec-WebSocket-Protocol: a,,b"]
      ]) {
        const { json, status } = yield* upgrade(...lines)
        expect([status, json]).toEqual([400, expect.objectContaining({ message: expect.stringMatching(/WebSocket/) })])
      }
    })
  )
})
