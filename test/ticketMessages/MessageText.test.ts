import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { safeHtml, textOfHtml } from "../../src/ticketMessages/MessageHtml.ts"
import { messageTexts, ticketSubject } from "../../src/ticketMessages/MessageText.ts"

const hostile = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="vbscript:x">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  "<object data=x></object><embed src=x>",
  '<form action="https://evil.example"><input name=password><button>Go</button></form>',
  '<style>body{background:url(https://evil.example/x)}</style><link rel=stylesheet href="//evil.example/x">',
  '<base href="//evil.example"><meta http-equiv=refresh content="0;url=//evil.example">',
  '<p style="background:url(https://evil.example/x);position:fixed;color:red">x</p>',
  '<p style="color:expression(alert(1))">x</p>',
  '<img src="https://evil.example/pixel.gif"><img src="//evil.example/pixel.gif">',
  '<img src="/ticketMessages/token/like-dislike?like=true"><img srcset="https://evil.example/a 1x">',
  '<img src="data:text/html,<script>alert(1)</script>"><img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<video poster="https://evil.example/x"><source src="https://evil.example/x"></video>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
  "<textarea><img src=x onerror=alert(1)></textarea><xmp><img src=x onerror=alert(1)></xmp>",
  "<!--><img src=x onerror=alert(1)>-->",
  '<div id="app" class="admin" data-x="1" contenteditable>x</div>'
]

const isHarmless = (html: string) => {
  const tags = html.match(/<[^>]*>/g) ?? []
  return tags.every(
    (tag) =>
      !/^<\/?(?:script|style|iframe|object|embed|form|input|button|link|base|meta|svg|math|video|source|textarea|xmp)\b/i.test(
        tag
      ) &&
      !/\s(?:on\w+|srcset|srcdoc|poster|action|id|class)\s*=/i.test(tag) &&
      !/(?:javascript|vbscript|expression|url\()/i.test(tag) &&
      !/<img[^>]*src="(?!cid:|data:image\/(?:png|jpeg|gif|webp);base64,)/i.test(tag)
  )
}

describe("The plain text of an outgoing message", () => {
  it("says where links lead, once, and omits what only a program understands", () => {
    const read = (htmlBody: string) => messageTexts({ htmlBody }, true).message
    expect(read('<a href="https://a.example/x">here</a>, then <a href="tel:+15551">call</a>')).toBe(
      "here (https://a.example/x), then call (+15551)"
    )
    expect(read('<a href="https://a.example/x">https://a.example/x</a> <a href="https://a.example"><img></a>')).toBe(
      "https://a.example/x https://a.example"
    )
    expect(read('<a href="javascript:alert(1)">x</a> <a name="y">z</a>')).toBe("x z")
    expect(messageTexts({ htmlBody: '<a href="https://a.example">here</a>' }).message).toBe("here")
  })
})

describe("The HTML of a message", () => {
  it("has nothing that runs, asks for input or loads from elsewhere", () => {
    for (const html of hostile)
      expect([html, safeHtml(html), isHarmless(safeHtml(html))]).toEqual([html, expect.anything(), true])
  })

  it.each([
    ["color: Red ; FONT-WEIGHT:bold", "color:Red;font-weight:bold"],
    ["color:#fff ! important;text-align:center!important", "color:#fff !important;text-align:center !important"],
    ["color:red!x;color:red!important!;position:fixed", ""],
    ["background-color:rgba(1, 2, 3, 40%);color:url(x);color:var(--x)", "background-color:rgba(1, 2, 3, 40%)"],
    ["font-family:'a;color:blue;b';color:/**/red;color;:red;", "color:blue"]
  ])("keeps of the style %s what is allowed", (style, kept) => {
    const clean = safeHtml(`<p style="${style}">x</p>`)
    expect(clean).toBe(kept === "" ? "<p>x</p>" : `<p style="${kept}">x</p>`)
    expect(safeHtml(clean)).toBe(clean)
  })

  it("stays harmless however hostile pieces are combined, and does not change when cleaned again", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...hostile), fc.string()), { maxLength: 6 }), (pieces) => {
        const clean = safeHtml(pieces.join(""))
        expect(isHarmless(clean)).toBe(true)
        expect(safeHtml(clean)).toBe(clean)
      })
    )
  })

  it("does not change when cleaned again after removed elements had kept others apart", () => {
    const odd = '<noscript><p title="</noscript>">'
    for (const html of [`<?${odd}</noscript><math><mtext><table></table></mtext></math>`, `<p>a<x-y><p>b</x-y>`]) {
      const clean = safeHtml(html)
      expect(safeHtml(clean)).toBe(clean)
    }
  })

  it("keeps the usual elements of a mail", () => {
    expect(safeHtml('<p dir="rtl">Hi <b>you</b></p><img src="cid:photo" alt="a photo">')).toBe(
      '<p dir="rtl">Hi <b>you</b></p><img alt="a photo" src="cid:photo" />'
    )
    expect(safeHtml('<a href="https://acme.example/x">x</a>')).toBe(
      '<a href="https://acme.example/x" rel="noopener noreferrer nofollow" target="_blank">x</a>'
    )
    expect(safeHtml('<img src="https://x.example/a.png" alt="Chart">')).toBe('<img alt="Chart" />')
  })

  it("becomes text with a line for each block, without invisible parts", () => {
    expect(textOfHtml("<html><head><title>T</title><style>x</style></head><body><p>One\n two</p><p>Three</p>")).toBe(
      "One two\nThree"
    )
    expect(textOfHtml("a<br>b<ul><li>c</li><li>d &amp; e</li></ul><script>f</script>")).toBe("a\nb\nc\nd & e")
    expect(textOfHtml("   ")).toBe("")
  })

  it("is read even after a head or a title that has no end", () => {
    const open =
      "<html><head><meta charset=utf-8><title>T</title><style>p{}</style><div>Hello, my sink leaks</div></html>"
    expect([textOfHtml(open), safeHtml(open)]).toEqual(["Hello, my sink leaks", "<div>Hello, my sink leaks</div>"])
    const title = "<title>T</title><p>Hello<title lang=en>x<p>World"
    expect([textOfHtml(title), safeHtml(title)]).toEqual(["Hello\nx\nWorld", "<p>Hello<br />x</p><p>World</p>"])
    expect(safeHtml("<head><TITLE>Not shown</TITLE></head><p>Shown</p>")).toBe("<p>Shown</p>")
  })

  it("keeps cells apart, and the lines of preformatted text", () => {
    const table =
      "<table><caption>Rent</caption><tr><th>Total</th><td>100</td></tr><tr><td>a </td>\n<td></td><td> b</td>"
    expect(textOfHtml(table)).toBe("Rent\nTotal 100\na b")
    expect(textOfHtml("<td><p>a</p></td><td><p>b</p></td>")).toBe("a\nb")
    for (const name of ["center", "aside", "caption", "summary", "figcaption", "form", "legend"]) {
      expect([name, textOfHtml(`a<${name}>b</${name}>c`)]).toEqual([name, "a\nb\nc"])
    }
    expect(textOfHtml("One <b> two</b><pre>Dear  all,\r\n\r\n it\n<b>leaks</b>\n</pre>  three\n four")).toBe(
      "One two\nDear  all,\n\nit\nleaks\nthree four"
    )
  })

  it("is reduced to its words when it is nested deeper, or has more elements, than any mail", () => {
    const [deep, flat] = [`${"<div>".repeat(100_000)}x`, "<p>x</p>".repeat(20_000)]
    expect(textOfHtml(deep)).toBe("x")
    expect(safeHtml(deep)).toBe("x")
    expect(safeHtml(flat)).toBe(flat)
    const long = '<p onclick="x">Fish &amp; <b>chips</b><br>&lt;1 €</p>'.repeat(60_000)
    const words = Array.from({ length: 100 }, () => "Fish & chips\n<1 €").join("\n")
    expect(textOfHtml(long).startsWith(words)).toBe(true)
    expect(textOfHtml(long).endsWith("\n[…]")).toBe(true)
    expect(safeHtml(long).startsWith("Fish &amp; chips<br>\n&lt;1 €<br>\nFish")).toBe(true)
    const nested = `${"<div>".repeat(90)}x${"</div>".repeat(90)}`
    expect([safeHtml(nested), textOfHtml(nested)]).toEqual([nested, "x"])
  })
})

describe("The texts of a message", () => {
  it("are made from each other when they are missing", () => {
    expect(messageTexts({ message: "Hello\n\nyou" })).toEqual({
      message: "Hello\n\nyou",
      textBody: null,
      htmlBody: null,
      preview: "Hello you"
    })
    expect(messageTexts({ textBody: "plain", htmlBody: "<b>rich</b>" })).toMatchObject({ message: "plain" })
    expect(messageTexts({ message: "  ", htmlBody: "<p>rich</p>" })).toMatchObject({ message: "rich", preview: "rich" })
    expect(messageTexts({ message: "x", preview: "own" })).toMatchObject({ preview: "own" })
    expect(messageTexts({})).toEqual({ message: null, textBody: null, htmlBody: null, preview: null })
  })

  it("have a preview of one line, cut between characters and no longer than allowed", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString({ maxLength: 500 }), (message) => {
        const { preview } = messageTexts({ message })
        expect(preview === null || (!/[\n\r\t]/.test(preview) && [...preview].length <= 201)).toBe(true)
        expect(preview?.isWellFormed() ?? true).toBe(message.isWellFormed() || preview?.isWellFormed())
      })
    )
    expect(messageTexts({ message: "😀".repeat(300) }).preview).toBe(`${"😀".repeat(200)}…`)
  })

  it("give a new ticket its subject", () => {
    expect(ticketSubject(" The key ", "text")).toBe("The key")
    expect(ticketSubject("  ", "first line\nsecond")).toBe("first line second")
    expect(ticketSubject(undefined, "x".repeat(200))).toBe(`${"x".repeat(100)}…`)
    expect(ticketSubject(undefined, "  ")).toBeNull()
    expect(ticketSubject(undefined, null)).toBeNull()
  })
})

describe("HTML with more tags than anybody writes", () => {
  const many = "<b>x</b>".repeat(50_001)
  const text = "x".repeat(50_001)

  it.each([
    ["its words", `<p>Dear all</p>${many}`, `Dear all${text}`],
    ["nothing of what nobody reads", `<head><title>T</title><STYLE>p{}</style></head><p>A</p>${many}`, `A${text}`],
    ["no style of a head without an end", `<head><style>p{}</style><title>T</title><body>A${many}`, `A${text}`],
    ["cells apart", `<tr><td>A</td><td>B</td>${many}`, `A B${text}`],
    ["elements that are only called alike", `<title-line>A</title-line>${many}`, `A${text}`],
    ["what stands behind an element without an end", `<p>A</p><script>B${many}`, `AB${text}`],
    ["what stands behind an end without an element", `</style><p>A</p>${many}`, `A${text}`]
  ])("keeps %s", (_, html, words) => {
    expect(textOfHtml(html)).toBe(words)
    expect(safeHtml(html)).toBe(words)
  })

  it("keeps blocks apart", () => expect(textOfHtml(`A<aside>B<center>C${many}`)).toBe(`A\nB\nC${text}`))
})
