import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  type ConnectionState,
  elapse,
  handshakeWithin,
  type Output,
  opened,
  pingEvery,
  receive,
  silentFor
} from "../../src/hub/ConnectionState.ts"
import { recordSeparator } from "../../src/hub/RecordFraming.ts"

const handshake = `{"protocol":"json","version":1}${recordSeparator}`
const message = (value: unknown) => JSON.stringify(value) + recordSeparator
const call = message({ type: 1, target: "Typing", arguments: [1] })

const outputsOf = (texts: ReadonlyArray<string>, start = opened(0)) => {
  let state: ConnectionState = start
  const outputs: Array<Output> = []
  for (const text of texts) {
    const next = receive(state, text, 0)
    state = next.state
    outputs.push(...next.outputs)
  }
  return { state, outputs }
}

const open = outputsOf([handshake]).state

const closing = (text: string) => ({ _tag: "Close", text: expect.stringContaining(text) })

describe("A connection", () => {
  it("begins with a handshake, which may come with the first call", () => {
    const { outputs, state } = outputsOf([handshake + call])
    expect(state.phase).toBe("Open")
    expect(outputs).toEqual([
      { _tag: "Send", text: `{}${recordSeparator}` },
      {
        _tag: "Invoke",
        invocation: { target: "Typing", arguments: [1], invocationId: null, wantsStream: false }
      }
    ])
  })

  it("is refused with a reason when it begins otherwise", () => {
    for (const [text, reason] of [
      [call, "must begin with a handshake"],
      [message({ protocol: "messagepack", version: 1 }), "'messagepack' is not supported"],
      [message({ protocol: "json", version: 3 }), "Version 3"],
      [`nonsense${recordSeparator}`, "must begin with a handshake"],
      [recordSeparator, "must begin with a handshake"]
    ] as const) {
      const { outputs, state } = outputsOf([text + call])
      expect(outputs).toEqual([closing(reason)])
      expect(outputs[0]).toMatchObject({ text: expect.stringMatching(/^\{"error":/) })
      expect(state.phase).toBe("Closed")
    }
  })

  it("ends at an invalid message, after handling those before it", () => {
    for (const bad of ["{", "[]", "null", "1", '"x"', "{}", '{"type":"1"}', '{"type":1}', '{"type":1,"target":7}']) {
      const { outputs, state } = outputsOf([call + bad + recordSeparator + call], open)
      expect(outputs).toEqual([expect.objectContaining({ _tag: "Invoke" }), closing("not valid in the hub protocol")])
      expect(state.phase).toBe("Closed")
      expect(receive(state, call, 0).outputs).toEqual([])
    }
    expect(outputsOf(["x".repeat(40_000)], open).outputs).toEqual([closing("32 KB")])
  })

  it("ignores messages that ask for nothing, even of unknown kinds", () => {
    const { outputs, state } = outputsOf(
      [2, 3, 5, 6, 8, 9, 10, 77].map((type) => message({ type, anything: true })),
      open
    )
    expect(outputs).toEqual([])
    expect(state.phase).toBe("Open")
  })

  it("ends when the client says goodbye", () => {
    expect(outputsOf([message({ type: 7 }) + call], open).outputs).toEqual([{ _tag: "Close", text: "" }])
  })

  it("survives any input, and sends nothing more once closed", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        handshake,
        call,
        recordSeparator,
        "{",
        "\u0000\ud800😀",
        message({ type: 6 }),
        message({ type: 7 })
      ),
      fc.json({ maxDepth: 1 }).map((json) => json + recordSeparator)
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (texts) => {
        const { outputs } = outputsOf(texts)
        const end = outputs.findIndex(({ _tag }) => _tag === "Close")
        expect(end === -1 || end === outputs.length - 1).toBe(true)
      })
    )
  })

  /** Checks the state once a second until then, and returns the last outcome. */
  const watched = (start: ConnectionState, from: number, until: number) => {
    let last = elapse(start, from)
    for (let now = from + 1000; now <= until; now += 1000) last = elapse(last.state, now)
    return last
  }

  it("must send its handshake and signs of life in time", () => {
    expect(watched(opened(0), 0, handshakeWithin - 1000).outputs).toEqual([])
    expect(watched(opened(0), 0, handshakeWithin).outputs).toEqual([closing("did not arrive in time")])
    expect(watched(open, 0, pingEvery - 1000).outputs).toEqual([])
    const pinged = watched(open, 0, pingEvery)
    expect(pinged.outputs).toEqual([{ _tag: "Send", text: `{"type":6}${recordSeparator}` }])
    expect(elapse(pinged.state, pingEvery + 1000).outputs).toEqual([])
    expect(watched(pinged.state, pingEvery, silentFor).outputs).toEqual([closing('"allowReconnect":true')])
    const heard = receive(watched(pinged.state, pingEvery, silentFor - 1000).state, message({ type: 6 }), silentFor - 1)
    expect(elapse(heard.state, silentFor).outputs).toEqual([{ _tag: "Send", text: `{"type":6}${recordSeparator}` }])
  })

  it("is not considered silent after a pause of the node itself", () => {
    const stalled = elapse(open, 10 * silentFor)
    expect(stalled.state.phase).toBe("Open")
    expect(watched(stalled.state, 10 * silentFor, 11 * silentFor).state.phase).toBe("Closed")
  })

  it("is cut off after five seconds of more than 50 messages each, and not before", () => {
    const flood = (seconds: number, perSecond: number) => {
      let state = open
      for (let second = 0; second < seconds; second++) {
        for (let n = 0; n < perSecond; n++) state = receive(state, call, second * 1000 + n).state
      }
      return state
    }
    expect(flood(5, 51).phase).toBe("Open")
    expect(flood(6, 51).phase).toBe("Closed")
    expect(flood(60, 50).phase).toBe("Open")
    expect(receive(flood(5, 51), call, 6500).state.phase).toBe("Open")
    expect(receive(flood(5, 51), call, 5000).outputs).toEqual([closing("Too many messages")])
  })
})
