import { describe, expect, it } from "@effect/vitest"
import { JsonHubProtocol, MessageType, NullLogger } from "@microsoft/signalr"
import { FastCheck as fc } from "effect"
import { backoff } from "../../src/pages/hub/Backoff.ts"
import { invocation, ping, receive } from "../../src/pages/hub/Protocol.ts"

const official = new JsonHubProtocol()

describe("The pages' hub client", () => {
  it("writes what the official client would write", () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.jsonValue()), (target, values) => {
        const [read] = official.parseMessages(invocation("7", target || "x", values), NullLogger.instance)
        expect(read).toMatchObject({ type: MessageType.Invocation, invocationId: "7", target: target || "x" })
        expect(read).toHaveProperty("arguments", JSON.parse(JSON.stringify(values)))
      })
    )
    expect(official.parseMessages(ping, NullLogger.instance)).toEqual([{ type: MessageType.Ping }])
  })

  it("reads several messages of a frame, and ignores unknown ones", () => {
    const frame = ["{}", '{"type":6}', '{"type":1,"target":"T","arguments":[1]}', '{"type":99}', "no json", "[]"]
    expect(receive(`${frame.join("\u001e")}\u001e`)).toEqual([
      { kind: "handshake" },
      { kind: "ping" },
      { kind: "event", target: "T", values: [1] }
    ])
    expect(receive('{"type":3,"invocationId":"1","error":"No."}\u001e{"type":7,"allowReconnect":true}\u001e')).toEqual([
      { kind: "completion", invocationId: "1", result: undefined, error: "No." },
      { kind: "close", mayReconnect: true }
    ])
  })

  it("never breaks, whatever arrives", () => {
    fc.assert(fc.property(fc.string(), fc.json(), (text, json) => Array.isArray(receive(`${text}\u001e${json}\u001e`))))
  })

  it("waits longer before each attempt, half a minute at most, and by a random share", () => {
    fc.assert(
      fc.property(fc.nat(100), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const wait = backoff(attempt, random)
        expect(wait).toBeGreaterThanOrEqual(500)
        expect(wait).toBeLessThanOrEqual(30_000)
        expect(backoff(attempt + 1, random)).toBeGreaterThanOrEqual(wait)
      })
    )
  })
})
