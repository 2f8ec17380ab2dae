import { describe, expect, it } from "vitest"
import { placeIn, placeOf, targetOf } from "../../src/pages/desk/LinkTarget.ts"
import { saysMore } from "../../src/pages/desk/SaysMore.ts"
import { safeHtml, textOfHtml } from "../../src/ticketMessages/MessageHtml.ts"

const isOffered = (html: string) => saysMore(safeHtml(html), textOfHtml(html))

describe("The formatting of a mail", () => {
  it.each([
    '<a href="https://portal.example/4711">this invoice</a>',
    '<a href="https://evil.example/">https://www.mybank.example/login</a>',
    '<a href="https://acme.example/"><img alt="Acme"></a>',
    "It costs <strike>120</strike> 90 €",
    "It costs <span style='text-decoration: line-through'>120</span> 90 €",
    "<p style='color:#c00000'>My answers in red</p>",
    "<p>I am <b>not</b> amused</p>",
    "<ol start=3><li>Third</ol>",
    "<table><tr><td>Key</td> <td>45 EUR</td></tr></table>",
    "I do<blockquote>Do you?</blockquote>",
    "I do<hr>Do you?",
    "<img src='cid:photo'>"
  ])("is offered for %s", (html) => expect(isOffered(html)).toBe(true))

  it.each([
    "<div><p>Only <span>words</span></p>in<br>lines &amp; &lt;signs&gt;&nbsp;&euro;</div>",
    "<table><tr><td>Laid</td></tr><tr><td>out</td></tr></table>",
    "<p style='color:#333333; background-color: rgb(255, 255, 255); font-weight: normal'>Grey on white</p>",
    "Mine is <b></b><u>&nbsp;</u><a href='mailto:eva@mail.example'>eva@mail.example</a>",
    "See <a href='https://acme.example/a?b=1&amp;c=2'>https://acme.example/a?b=1&amp;c=2</a>",
    "See <a href='http://www.acme.example/'>www.acme.example</a>, <a name='x'>here</a> or <a href='#x'>there</a>",
    "Read me<img src='https://spy.example/x.png' width=1 height=1>"
  ])("is not offered for %s", (html) => expect(isOffered(html)).toBe(false))

  it("is offered when the text was given separately and leaves something out", () => {
    expect([saysMore("<p>All of it</p>", "All  of\nit"), saysMore("<p>All of it</p>", "It")]).toEqual([false, true])
  })
})

describe("The target of a link", () => {
  it.each([
    ["https://www.mybank.example/login", "https://evil.example/x", "evil.example"],
    ["Log in at MyBank.example today", "https://mybank.example.evil.example/", "mybank.example.evil.example"],
    ["www.my\u200bbank.example", "https://evil.example:8443/", "evil.example:8443"],
    ["www\uff0emybank.example", "https://evil.example/", "evil.example"],
    ["www.m\u0443bank.example", "https://www.m\u0443bank.example/", "www.xn--mbank-eze.example"],
    ["Your invoice", "https://www.mybank.example@evil.example/", "evil.example"],
    ["eva@mail.example", "https://evil.example/", "evil.example"],
    ["eva@mail.example", "mailto:eve@mail.example", "eve@mail.example"],
    ["Your invoice", "https://portal.example/4711", "portal.example"],
    ["my\u034fbank.example", "https://evil.example/", "evil.example"],
    ["eva@mail.example", "mailto:?to=eve@mail.example", "eve@mail.example"],
    ["eva@mail.example", "mailto:eva@mail.example?CC=eve@mail.example", "eva@mail.example, eve@mail.example"],
    ["eva@m\u0430il.example", "mailto:?to=eva@m\u0430il.example", "eva@m%D0%B0il.example"],
    ["eva@mail.example", "mailto:?to=eva@m\u200bail.example", "eva@m%E2%80%8Bail.example"],
    ["0800 1234", "tel:09001234", "09001234"],
    ["\u044f.".repeat(100_000), "https://portal.example/", "portal.example"],
    ["mybank.example/login", "https://www.mybank.example/elsewhere", "www.mybank.example"],
    ["evil.example/moc.knab//:sptth", "https://evil.example/", "evil.example"],
    ["evil.example/ Log in: https://mybank.example", "https://evil.example/", "evil.example"],
    ["Call 0800 1234", "tel:08001234", "08001234"]
  ])("of %.40s to %s is shown", (words, href, place) => {
    const target = targetOf(href)
    expect(target && [placeIn(words, target), placeOf(target)]).toEqual([undefined, place])
  })

  it.each([
    ["https://portal.example", "https://portal.example/4711", "https://portal.example"],
    [" www.\u202ePortal.example/4711/ ", "https://portal.example/4711", "www.Portal.example/4711/"],
    ["Eva@mail.example", "mailto:eva@mail.example?subject=x", "Eva@mail.example"],
    ["0800 1234", "tel:08001234", "0800 1234"]
  ])("is what %s says, so %s needs no other", (words, href, seen) => {
    const target = targetOf(href)
    expect(target && placeIn(words, target)).toBe(seen)
  })

  it("is nobody for a mail that is only prepared", () => {
    const target = targetOf("mailto:?subject=x")
    expect(target && placeOf(target)).toBe("")
  })

  it("is not followed if it runs something or only means the page itself", () => {
    for (const href of [
      "javascript:alert(1)",
      "data:text/html,x",
      "/desk",
      "//evil.example",
      "#top",
      "",
      "file:///x"
    ]) {
      expect([href, targetOf(href)]).toEqual([href, undefined])
    }
  })
})
