import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { isEmptyHtml } from "../../src/places/EmptyHtml.ts"
import { markReviews } from "../../src/places/ReviewMarks.ts"
import { cleanHtml, htmlOfAnswer } from "../../src/places/RoomHtml.ts"
import { processorTime } from "../support/ProcessorTime.ts"

const review = (text: string) => `<span class="review" style="background-color:#fff59d">${text}</span>`

const tagsIn = (html: string) => Array.from(html.matchAll(/<\/?([^\s>/]*)/g), ([, name]) => name)

const allowed = new Set(
  "h1 h2 h3 h4 h5 h6 p br ul ol li table caption thead tbody tfoot tr th td strong b em i u s span".split(" ")
)

const markup = fc
  .array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...'<p>|</p>|<b>|</b>|<ul><li>|</li></ul>|<span class="review">|</span>|<mark>|</mark>|<script>|</script>'.split(
          "|"
        ),
        ...'<svg onload=x>|<td colspan="3">|</td>|<td rowspan="999">|<ol start="5"><li>|<ol start="-1">|</ol>|<a href="javascript:x">|<!--|-->|[[|]]|&lt;|&amp;|&#x3c;'.split(
          "|"
        ),
        ...'<style>|</style>|<iframe src=x>|<math>|<div>|</div>|<dt>|<section>|<hr>|<p style="position:fixed">|<title>|<sup>|</sup>|<sub>2|</sub>|"|\'|`|\u0000'.split(
          "|"
        )
      )
    ),
    { maxLength: 30 }
  )
  .map((pieces) => pieces.join(""))

describe("The HTML of a room", () => {
  it("has only what a report may have, and cleaning it again changes nothing", () => {
    fc.assert(
      fc.property(markup, (html) => {
        const clean = cleanHtml(html)
        expect(tagsIn(clean).filter((tag) => !allowed.has(tag ?? ""))).toEqual([])
        const attributes = Array.from(clean.matchAll(/<\w+ ([^>]*)>/g), ([, text]) => text)
        for (const text of attributes) {
          expect(text).toMatch(
            /^(?:\/|start="5"|class="review" style="background-color:#fff59d"|(?:colspan|rowspan)="\d{1,2}"(?: (?:col|row)span="\d{1,2}")?)$/
          )
        }
        expect(cleanHtml(clean)).toBe(clean)
      }),
      { numRuns: 500 }
    )
  })

  it("keeps the start number of lists, and none of their other attributes", () => {
    const list = (start: string) => `<ol${start}><li>Sockets</li></ol>`
    for (const start of [' start="1"', ' start="12"', ' start="9999"']) {
      expect(cleanHtml(list(start))).toBe(list(start))
      expect(cleanHtml(`<div>${list(`${start} type="a" class="x" reversed`)}</div>`)).toBe(list(start))
    }
    for (const start of ["0", "-3", "03", "10000", "1.5", "a", ""]) {
      expect(cleanHtml(list(` start="${start}"`))).toBe(list(""))
    }
    expect(cleanHtml('<ul start="3"><li start="3">a</li></ul>')).toBe("<ul><li>a</li></ul>")
    expect(htmlOfAnswer(`${list("")}<p>b</p>${list(' start="2"')}`)).toBe(`${list("")}<p>b</p>${list(' start="2"')}`)
  })

  it("gets paragraphs where other elements separated text", () => {
    const clean: ReadonlyArray<readonly [string, string]> = [
      ["Wall white<div>Floor oak</div><div>Ceiling cracked</div>", "Wall white<p>Floor oak</p><p>Ceiling cracked</p>"],
      ["<div>a<br></div><div><br></div>", "<p>a<br /></p><p><br /></p>"],
      ["<div>a<ul><li>b</li></ul>c <b>d</b></div>", "<p>a</p><ul><li>b</li></ul><p>c <b>d</b></p>"],
      ["<section><h2>T</h2><div><div>a</div>b</div></section>", "<h2>T</h2><p>a</p><p>b</p>"],
      ["<dl><dt>Wall</dt><dd>white</dd></dl>", "<p>Wall</p><p>white</p>"],
      ["<blockquote>a</blockquote><pre>b</pre>c<hr>d", "<p>a</p><p>b</p>c<br />d"],
      ["<ul><li><div>a</div><div>b</div></li></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"],
      ["<table><tr><td><div>a</div>b</td></tr></table>", "<table><tr><td><p>a</p>b</td></tr></table>"],
      ["<h2>a<div>b</div>c</h2>", "<h2>a<br />b<br />c</h2>"],
      ["<p><b>a<div>b</div></b>c</p>", "<p><b>a<br />b</b><br />c</p>"],
      ["<div><b>a<div>b</div></b></div>", "<p><b>a<br />b</b></p>"],
      ["<mark><div>a</div><div>b &amp; c</div></mark>", `${review("a<br />b &amp; c")}`],
      ["<p><span>x</span><b>y</b> z</p>", "<p>x<b>y</b> z</p>"],
      ["<span>a<div>b</div></span>", "a<p>b</p>"],
      ["<div> </div><div>a < b</div>", "<p>a &lt; b</p>"],
      ["<del>a</del><strike>b</strike><menu><li>c</li></menu>", "<s>a</s><s>b</s><ul><li>c</li></ul>"]
    ]
    for (const [html, expected] of clean) expect(cleanHtml(html)).toBe(expected)
  })

  it("keeps superscript and subscript numbers apart", () => {
    const clean: ReadonlyArray<readonly [string, string]> = [
      ["<p>10<sup>3</sup> m<sup>2</sup>, CO<sub>2</sub></p>", "<p>10³ m², CO₂</p>"],
      ["<p>10<SUP class=x><b>-12</b></SUP> W</p>", "<p>10<b>⁻¹²</b> W</p>"],
      ["<sup>1</sup>/<sub>2</sub>", "¹/₂"],
      ["x<sup>1,5</sup> y<sub>a1</sub>", "x^(1,5) y_(a1)"],
      ["1<sup>er</sup> étage, 2<sup>nd</sup> floor", "1er étage, 2nd floor"],
      ["<div>a<sup>2</sup></div><div>b<sup></sup></div>", "<p>a²</p><p>b</p>"],
      ["x<sup><p>1,5</p></sup>", "x<p>1,5</p>"]
    ]
    for (const [html, expected] of clean) expect(cleanHtml(html)).toBe(expected)
  })

  it("is cleaned quickly, whatever is in it", () => {
    for (const part of ["<hr>x", "<div>x</div>", "<td>x</td>", "<span>x</span>", "<sup>2</sup>", "<p>x</p>"]) {
      const html = part.repeat(10_000 / (part.split("<").length - 1))
      const started = processorTime()
      cleanHtml(html)
      expect([part, processorTime() - started < 1_000]).toEqual([part, true])
    }
  })

  it("is empty when an editor left nothing but tags", () => {
    for (const html of ["", "<p><br /></p>", "<p>\u200b</p><p>\u00a0&nbsp;</p>", "<ul><li></li></ul>"]) {
      expect([html, isEmptyHtml(html)]).toEqual([html, true])
    }
    for (const html of ["0", "<p>.</p>"]) expect([html, isEmptyHtml(html)]).toEqual([html, false])
  })

  it("keeps the lines of preformatted text", () => {
    expect(cleanHtml("<pre class=x>\none\n<a\nhref=y>two</a>\r\n  three</pre>\nfour")).toBe(
      "<p>one<br />two<br />  three</p>\nfour"
    )
  })

  it("never joins two words that were apart", () => {
    const around = "div section blockquote p h2 ul+li ol+li dl+dt dl+dd table+tr+td b em span u".split(" ")
    const { part } = fc.letrec<{ part: string }>((tie) => ({
      part: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom("one", "two", "<hr>", " "),
        fc
          .tuple(fc.constantFrom(...around), fc.array(tie("part"), { maxLength: 4 }))
          .map(([names, parts]) =>
            names.split("+").reduceRight((inner, name) => `<${name}>${inner}</${name}>`, parts.join(""))
          )
      )
    }))
    const words = (html: string) =>
      html
        .replace(/<\/?(?:b|em|span|u)\b[^>]*>/g, "")
        .replace(/<[^>]*>/g, " ")
        .split(/\s+/)
        .filter((word) => word !== "")
    const endsOf = (all: ReadonlyArray<string>) => all.map((_, index) => all.slice(0, index + 1).join("").length)
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const [before, after] = [words(parts.join("")), words(cleanHtml(parts.join("")))]
        expect(after.join("")).toBe(before.join(""))
        expect(endsOf(before).filter((end) => !endsOf(after).includes(end))).toEqual([])
      }),
      { numRuns: 1_000 }
    )
    expect(
      cleanHtml(`${"<br>".repeat(50_000)}<div>a<b>b</b></div><div>c</div>`)
        .trim()
        .split(/\s+/)
    ).toEqual(["ab", "c"])
  })

  it("marks what is between [[ and ]], also across tags", () => {
    expect(markReviews("<p>a [[b]] c</p>")).toBe(`<p>a ${review("b")} c</p>`)
    expect(markReviews("<p>[[a <b>b</b></p><p>c]] d</p>")).toBe(
      `<p>${review("a ")}<b>${review("b")}</b></p><p>${review("c")} d</p>`
    )
    expect(markReviews("<p>a ]] b [c] [d]</p>")).toBe("<p>a ]] b [c] [d]</p>")
    expect(markReviews("[[a [[b]] c]] d")).toBe(`${review("a ")}${review("b")}${review(" c")} d`)
    expect(markReviews("[[a]] b]] c")).toBe(`${review("a")} b]] c`)
  })

  it("marks the rest of the paragraph where the end is missing", () => {
    expect(markReviews("<p>a [[ b</p><p>c</p>")).toBe(`<p>a ${review(" b")}</p><p>c</p>`)
    expect(markReviews("<p>a [[b <em>c</em><br />d</p>e")).toBe(
      `<p>a ${review("b ")}<em>${review("c")}</em><br />${review("d")}</p>e`
    )
    expect(markReviews("<ul><li>[[a</li><li>b</li></ul>")).toBe(`<ul><li>${review("a")}</li><li>b</li></ul>`)
    expect(markReviews("<p>[[a</p><p>[[b]] c</p>")).toBe(`<p>${review("a")}</p><p>${review("b")} c</p>`)
    expect(markReviews("a [[b [[c]] d")).toBe(`a ${review("b ")}${review("c")}${review(" d")}`)
  })

  it("keeps no bracket of nested marks, and marks everything in the outermost", () => {
    const { marked } = fc.letrec<{ marked: string }>((tie) => ({
      marked: fc
        .array(fc.oneof({ maxDepth: 4 }, fc.constantFrom("a", "b c", "<b>d</b>"), tie("marked")), { maxLength: 4 })
        .map((parts) => `[[${parts.join("")}]]`)
    }))
    fc.assert(
      fc.property(marked, (html) => {
        const result = markReviews(`x${html}y`)
        expect(result).not.toMatch(/[[\]]/)
        expect(result.replace(/<span[^>]*>[^<]*<\/span>|<[^>]*>/g, "")).toBe("xy")
      })
    )
  })

  it("loses no text when it is marked", () => {
    const text = (html: string) => html.replace(/<[^>]*>|\[\[|\]\]/g, "")
    fc.assert(
      fc.property(markup.map(cleanHtml), (html) => {
        const marked = markReviews(html)
        expect(text(marked)).toBe(text(html))
        expect(cleanHtml(marked)).toBe(marked.trim())
      }),
      { numRuns: 500 }
    )
  })

  it("is extracted from several code fences", () => {
    const fence = (html: string) => `\`\`\`html\n${html}\n\`\`\``
    expect(htmlOfAnswer(`${fence("<p>a</p>")}\n\n${fence("<p>b</p>")}`)).toBe("<p>a</p>\n\n<p>b</p>")
  })

  it("is separated from a model's remarks, which are marked for review, unless they may belong to it", () => {
    const said = (words: string) => `<p>${review(words)}</p>`
    const without: ReadonlyArray<readonly [string, string]> = [
      [
        "Here you go:\n\n<h2>T</h2><p>a</p>\n\nLet me know!",
        `${said("Here you go:")}<h2>T</h2><p>a</p>${said("Let me know!")}`
      ],
      ["Sure:\n<p>a</p>\nThe ceiling has a crack.", `${said("Sure:")}<p>a</p>${said("The ceiling has a crack.")}`],
      ["<p>a</p><ul><li>b</li></ul>\n\nLet me know!", `<p>a</p><ul><li>b</li></ul>${said("Let me know!")}`],
      ["Sure!\n<!DOCTYPE html>\n<html><body><p>a</p></body></html>", `${said("Sure!")}<p>a</p>`],
      ["```html\n<p>a</p>", "<p>a</p>"],
      ["Here:\n```html\n<p>a</p>", `${said("Here:")}<p>a</p>`],
      ["```html <p>a</p>```", "<p>a</p>"]
    ]
    for (const [answer, html] of without) expect(htmlOfAnswer(answer)).toBe(html)
    for (const whole of [
      "White walls.<p>a</p>Worn floor.",
      "Walls:\n\n<ul><li>white</li></ul>\nand more",
      "<p>a</p><b>b</b>"
    ]) {
      expect(htmlOfAnswer(whole)).toBe(whole)
    }
    expect(htmlOfAnswer("[[Damp?]]\n\n<p>a</p>\n\n[[mould")).toBe(
      `${review("Damp?")}\n\n<p>a</p>\n\n${review("mould")}`
    )
  })

  it("is extracted from what a model says around it", () => {
    expect(htmlOfAnswer("```html\n<p>a</p>\n```")).toBe("<p>a</p>")
    expect(htmlOfAnswer("```\n<p>a</p>```")).toBe("<p>a</p>")
    expect(htmlOfAnswer("Here is the HTML:\n\n```html\n<p>a</p>\n```\nAnything else?")).toBe("<p>a</p>")
    expect(htmlOfAnswer("Two:\n```\n<p>a</p>\n```\n```\n<p>b</p>\n```")).toMatch(/a.*b/s)
    expect(htmlOfAnswer("<p>a</p>\n```\n<p>b</p>\n```")).toMatch(/a.*b/s)
    expect(htmlOfAnswer("Sure.\n```\nonly words\n```")).toMatch(/Sure.*only words/s)
    expect(htmlOfAnswer("<div>a</div><div>b</div>")).toBe("<p>a</p><p>b</p>")
    expect(htmlOfAnswer("<html><head><title>t</title></head><body><p>a</p></body></html>")).toBe("<p>a</p>")
    expect(htmlOfAnswer("first line\nsecond [[line]]\n\nnext < 3")).toBe(
      `<p>first line<br />second ${review("line")}</p><p>next &lt; 3</p>`
    )
    for (const nothing of ["", " \n", "<p> </p>", "<script>x</script>", "```html\n```", "<p>&nbsp;</p>"]) {
      expect(htmlOfAnswer(nothing), nothing).toBe("")
    }
  })
})
