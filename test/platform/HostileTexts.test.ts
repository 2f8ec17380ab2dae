import { setImmediate } from "node:timers/promises"
import { DateTime, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { TicketID } from "../../schema/Ids.ts"
import { cleanFileName } from "../../src/files/FileName.ts"
import { isForged } from "../../src/mail/ForgedSender.ts"
import { GraphMessage } from "../../src/mail/GraphShapes.ts"
import { readMail } from "../../src/mail/ReadMail.ts"
import { type KnownMail, threadOf } from "../../src/mail/Threading.ts"
import { cleanHtml, htmlOfAnswer } from "../../src/places/RoomHtml.ts"
import { safeHtml as safeMessage, textOfHtml } from "../../src/ticketMessages/MessageHtml.ts"
import { htmlTexts } from "../../src/translations/HtmlTexts.ts"
import { processorTime } from "../support/ProcessorTime.ts"

/** The longest text that a request may have. */
const longest = 100_000

const repeated = (unit: string) => unit.repeat(longest / unit.length)

const hostile: Readonly<Record<string, string>> = {
  "spaces between two letters": `a${repeated(" ")}b`,
  "spaces in a paragraph": `<p>a${repeated(" ")}b</p>`,
  "empty lines": `a${repeated("\n")}b`,
  "lines of one space": `a${repeated("\n ")}b`,
  dots: `a${repeated(".")}b`,
  "tags without an end": repeated("<a"),
  "comments without an end": repeated("<!--"),
  "elements in each other": repeated("<b>x"),
  "tables in each other": repeated("<table><tr><td>"),
  "lists in each other": repeated("<ul><li>x"),
  "elements that others close": "<b>".repeat(longest / 6) + "</i>".repeat(longest / 8),
  "short lines": repeated("x<br>"),
  "many elements": repeated("<div>x</div>"),
  "signs that begin no tag": repeated("<"),
  "signs that end no tag": repeated(">"),
  styles: `<p style="${repeated("color:red;")}">x</p>`,
  attributes: `<p ${repeated("a=b ")}>x</p>`,
  "attributes without a value": `<p ${repeated("ab ")}>x</p>`,
  "signs that begin no entity": repeated("&"),
  "the same in an attribute": `<a title="${repeated("&")}">x</a>`,
  "spaces in a style": `<p style="color:${repeated(" ")}red!${repeated(" ")}important">x</p>`,
  "many styles": repeated('<p style="color:red;top:0">x'),
  "blocks in a style": `<p style="${repeated("{")}">x</p>`,
  "a code fence without an end": `\`\`\`\n${repeated(" ")}x`,
  "open marks": repeated("[["),
  "a quote without an end": `"${repeated('\\"')}`,
  "comments in each other": repeated("(")
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "what is translated": (text) => {
    const { texts, withTexts } = htmlTexts(text, 8_000)
    return withTexts(texts)
  },
  // Five times as long as the others may be.
  "a room": (text) => cleanHtml(text.repeat(5)),
  "a model's answer": htmlOfAnswer,
  // A request may have ten times as much, and a mail twenty times that.
  "a message": (text) => safeMessage(text.repeat(100)),
  "the text of a message": (text) => textOfHtml(text.repeat(100)),
  "the name of a file": cleanFileName,
  "the provider's judgement of a sender": (value) => {
    const internetMessageHeaders = [{ name: "Authentication-Results", value }]
    return isForged(Schema.decodeSync(GraphMessage)({ id: "one", internetMessageHeaders }), "support@acme.example")
  }
}

/** No other request is served meanwhile. Some of these took 20 seconds, and longer texts four times as long. */
const mostMilliseconds = 2_000

/** On a crowded machine processor time, too, may be many times as long, so that one of three tries has to be quick. */
const isQuick = (work: () => void, milliseconds = mostMilliseconds) =>
  [1, 2, 3].some(() => {
    const started = processorTime()
    work()
    return processorTime() - started < milliseconds
  })

describe("Texts that are made to be slow", () => {
  it.each(Object.keys(readers))("are processed quickly as %s", async (name) => {
    for (const [what, text] of Object.entries(hostile)) {
      expect([what, isQuick(() => readers[name]?.(text))]).toEqual([what, true])
      // All of them together may take a minute, after which this process would be given up for lost.
      await setImmediate()
    }
  })

  it("are also cleaned quickly as a mail that has all the styles a message may have", () => {
    const cleaned = () =>
      expect(safeMessage(`<p style="${"color:red;".repeat(199_000)}">x</p>`)).toMatch(/^<p style="color:red;color:red/)
    expect(isQuick(cleaned, mostMilliseconds / 4)).toBe(true)
  })

  it("are also cleaned quickly as a room whose lines become tags", () => {
    const lines = `${"<div>".repeat(4)}${"<sup>".repeat(40)}<pre>${"1\n".repeat(240_000)}`
    expect(isQuick(() => cleanHtml(lines), mostMilliseconds / 4)).toBe(true)
  })

  it("are looked through quickly as the mails that a mail refers to", () => {
    const known = Array.from({ length: 18_000 }, (_, number): KnownMail => {
      const ticketID = TicketID.make(number + 1)
      const date = DateTime.unsafeMake(number)
      const internetMessageID = "<a@b>"
      return { number, internetMessageID, conversationID: null, participants: [], isOurs: false, date, ticketID }
    })
    const unknown = Array.from({ length: 25_000 }, (_, number) => `<${number}>`)
    const references = [...known.map(() => "<a@b>"), ...unknown]
    const nothing = { inReplyTo: [], references: [], conversationID: null, senders: [], tokens: [] }
    expect(threadOf({ ...nothing, references }, known, [])).toBe(1)
    expect(isQuick(() => threadOf({ ...nothing, references }, known, []), 200)).toBe(true)
    expect(isQuick(() => threadOf({ ...nothing, inReplyTo: references }, known, []), 200)).toBe(true)

    const value = references.join(" ")
    const internetMessageHeaders = ["References", "In-Reply-To"].map((name) => ({ name, value }))
    const message = Schema.decodeSync(GraphMessage)({ id: "one", internetMessageHeaders })
    expect(isQuick(() => readMail(message, "support@acme.example"), 200)).toBe(true)
  })

  it("are not translated where they consist of spaces", () => {
    const { texts, withTexts } = htmlTexts(`<p>one${" ".repeat(20_000)}two</p>`, 8_000)
    expect(texts).toEqual(["one", "two"])
    expect(withTexts(["eins", "zwei"])).toMatch(/^<p>eins {20000}zwei<\/p>$/)
  })

  it("are translated in pieces and put together again", () => {
    const long = Array.from({ length: 4_000 }, (_, index) => `Word${index} `).join("")
    const { texts, withTexts } = htmlTexts(`<p> ${long}</p><p>Short</p>`, 8_000)
    expect(texts.length).toBeGreaterThan(4)
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(8_000)
    expect(withTexts(texts)).toBe(`<p> ${long}</p><p>Short</p>`)
    expect(withTexts(texts.map((text) => text.toUpperCase()))).toBe(`<p> ${long.toUpperCase()}</p><p>SHORT</p>`)
  })
})
