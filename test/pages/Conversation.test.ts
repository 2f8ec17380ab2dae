import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  type ChatMessage,
  depart,
  mark,
  readMessage,
  receive,
  resume,
  settle,
  write
} from "../../src/pages/widget/Conversation.ts"

const message = (messageID: number, text: string, from: ChatMessage["from"] = "agent"): ChatMessage => ({
  messageID,
  from,
  text,
  name: null,
  at: messageID
})

const texts = (lines: ReadonlyArray<{ readonly text: string }>) => lines.map(({ text }) => text)

describe("A conversation in the chat window", () => {
  it("shows a message once, however often and in whatever order it arrives", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 1, 2, 3], { minLength: 8 }), (ids) => {
        const lines = ids.map((id) => message(id, `text ${id}`)).reduce(receive, [])
        expect(texts(lines)).toEqual(["text 1", "text 2", "text 3", "text 4", "text 5"])
      })
    )
  })

  it("recognises its own message, whether the echo or the response comes first", () => {
    const sent = depart(write([], "a", "Hello", 1), "a")
    const echoFirst = settle(receive(sent, message(7, "Hello", "visitor")), "a", 7)
    const answerFirst = receive(settle(sent, "a", 7), message(7, "Hello", "visitor"))
    for (const lines of [echoFirst, answerFirst]) {
      expect(lines).toMatchObject([{ key: "a", messageID: 7, state: "sent", text: "Hello" }])
    }
  })

  it("does not mistake a message that was never sent for one that arrived", () => {
    const lines = receive(write([], "a", "Hello", 1), message(3, "Hello", "visitor"))
    expect(lines).toMatchObject([
      { messageID: 3, state: "sent" },
      { key: "a", state: "queued" }
    ])
  })

  it("does not mistake an older message with the same words for one that was lost", () => {
    const before = [message(3, "Hello", "visitor"), message(4, "Yes?")]
    const lost = mark(depart(write(before.reduce(receive, []), "a", "Hello", 5), "a"), "a", "lost")
    const remembered = lost.filter(({ state }) => state !== "sent")
    expect(resume(remembered, before)).toMatchObject([
      { messageID: 3, state: "sent" },
      { messageID: 4 },
      { key: "a", messageID: null, state: "failed" }
    ])
    expect(resume(remembered, [...before, message(5, "Hello", "visitor")])).toMatchObject([
      { messageID: 3 },
      { messageID: 4 },
      { key: "a", messageID: 5, state: "sent" }
    ])
  })

  it("finds out after a broken connection what arrived and what did not", () => {
    const both = write(write([], "a", "Did it arrive?", 1), "b", "And this?", 2)
    const lost = mark(mark(depart(depart(both, "a"), "b"), "a", "lost"), "b", "lost")
    expect(resume(lost, [message(4, "Did it arrive?", "visitor")])).toMatchObject([
      { key: "a", messageID: 4, state: "sent" },
      { key: "b", messageID: null, state: "failed" }
    ])
  })

  it("reads what the hub sends, and ignores anything else", () => {
    const stored = { messageID: 5, senderType: "CustomerRep", message: "Hi", customerRepName: "Acme Admin" }
    expect(readMessage(stored)).toMatchObject({ messageID: 5, from: "agent", text: "Hi", name: "Acme Admin" })
    for (const bad of [null, 5, "x", [], {}, { messageID: "5", message: "Hi" }, { messageID: 5, message: null }]) {
      expect(readMessage(bad)).toBeUndefined()
    }
  })
})
