import { describe, expect, it } from "vitest"
import { isMarkup, withAddresses } from "../../src/translations/Markup.ts"
import { processorTime } from "../support/ProcessorTime.ts"

describe("Markup", () => {
  it.each([
    "<p>x</p>",
    "a<br>b",
    "a<BR />b",
    "a</b>",
    "</p >",
    `<a href="https://acme.example/?a=<b>" title='x'>y`,
    "<a href=https://acme.example/?a=b&c=d>y",
    "<img src=cid:a alt = 'x'/>",
    "<input\ntype=checkbox checked data-x>",
    '<div v-on:click="x" @click="y">z'
  ])("is %s", (text) => expect(isMarkup(text)).toBe(true))

  it.each([
    "Ann <ann@example.com>",
    "<https://example.com/p>",
    "<mailto:p@example.com>",
    "if a <b and c> d",
    "a < b > c",
    "<p",
    "1 <a 2",
    "press <Enter>, not <b-key>",
    "<b@example.com> and </p@example.com>",
    "i <i+1> j"
  ])("is not %s", (text) => expect(isMarkup(text)).toBe(false))

  it("is told from text quickly, whatever the text", () => {
    for (const unit of [
      "<b a=",
      '<b a="',
      "<b a='\" ",
      "<b checked ",
      " a=b",
      "/",
      "@",
      "<@",
      "<a:",
      " ",
      "=",
      "<tel:"
    ]) {
      const started = processorTime()
      const text = unit.repeat(100_000 / unit.length)
      isMarkup(withAddresses(`<b a=${text}`))
      expect([unit, processorTime() - started < 1_000]).toEqual([unit, true])
    }
  })
})
