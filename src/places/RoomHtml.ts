import sanitize from "sanitize-html"
import { fencedPart, withoutFence } from "../ai/AnswerText.ts"
import { hasMoreThan, isTooMuch, withoutTags } from "../platform/Html.ts"
import { isEmptyHtml } from "./EmptyHtml.ts"
import { markReviews, review } from "./ReviewMarks.ts"
import { containers, transparent, withoutDivs } from "./WithoutDivs.ts"

const emphasis = ["strong", "b", "em", "i", "u", "s"]

const blocks = ["h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "ul", "ol", "li"]

const tables = ["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"]

const isReview = (attributes: sanitize.Attributes) => /(?:^|\s)review(?:\s|$)/.test(attributes["class"] ?? "")

/** The element with those of its attributes that have such a number. */
const keeping =
  (names: ReadonlyArray<string>, number: RegExp): sanitize.Transformer =>
  (tagName, attributes) => ({
    tagName,
    attribs: Object.fromEntries(
      Object.entries(attributes).filter(([name, value]) => names.includes(name) && number.test(value))
    )
  })

const spans = ["colspan", "rowspan"]

const cell = keeping(spans, /^[1-9]\d?$/)

const becoming = (tagName: string, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, () => ({ tagName, attribs: {} })]))

const sanitized = (html: string) =>
  sanitize(html, {
    allowedTags: [...blocks, ...tables, ...emphasis, "span", "div", "sup", "sub", transparent],
    allowedAttributes: { span: ["class", "style"], ol: ["start"], td: spans, th: spans },
    // Not parsed: transformTags leaves no style but our own.
    parseStyleAttributes: false,
    nonTextTags: ["script", "style", "textarea", "option", "noscript", "title", "iframe", "xmp", "svg", "math"],
    nestingLimit: 50,
    transformTags: {
      // Taken away later: sanitize would write its end tag in the place of the next one.
      span: (_, attributes) =>
        isReview(attributes) ? { tagName: "span", attribs: { ...review } } : { tagName: transparent, attribs: {} },
      mark: () => ({ tagName: "span", attribs: { ...review } }),
      // A list may go on after a paragraph.
      ol: keeping(["start"], /^[1-9]\d{0,3}$/),
      td: cell,
      th: cell,
      ...becoming("div", containers),
      ...becoming("ul", ["dir", "menu"]),
      ...becoming("s", ["del", "strike"])
    }
  })

/** Its lines are held apart by nothing else. */
const withLines = (html: string) =>
  html.replace(/<pre\b.*?(?:<\/pre|$)/gis, (pre) =>
    pre
      .replace(/^(<pre[^<>]*>)\r?\n/i, "$1")
      .replace(/<[^<>]*>|\r?\n/g, (found) => (found.startsWith("<") ? found : "<br />"))
  )

const cleaned = (html: string) => withoutDivs(sanitized(html)).trim()

const untilStable = (html: string, passes: number): string => {
  const clean = cleaned(html)
  return clean === html || passes === 1 ? clean : untilStable(clean, passes - 1)
}

/** Some passes over so many take a quarter of a second. A long room has some hundreds. */
export const mostTags = 10_000

/** Whether there is more in it than a room may have: it would be cleaned for too long, and nobody else is answered. */
export const isTooMuchForRoom = (html: string) => hasMoreThan(html, "<", mostTags) || isTooMuch(html)

/**
 * Headings, paragraphs, lists, tables, emphasis and review marks; of everything else the text alone stays, in paragraphs
 * where it stood apart. What a tag
 * held apart may come to stand differently once it is gone, so that it takes a second look until nothing changes.
 */
export const cleanHtml = (html: string) =>
  isTooMuchForRoom(html) ? withoutTags(html) : untilStable(withLines(html), 5)

const asParagraphs = (text: string) =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => `<p>${paragraph.replaceAll("\n", "<br />")}</p>`)
    .join("")

/** Whether a paragraph or a heading begins, or ends, there. */
const beginsText = (html: string, at: number) => /^<(?:h[1-6]|p)\b/.test(html.slice(at, at + 4))
const endsText = (html: string, at: number) => /<\/(?:h[1-6]|p)>$/.test(html.slice(Math.max(0, at - 5), at))

const doubtful = (words: string) => (words.trim() === "" ? "" : `<p>[[${words.trim()}]]</p>`)

/**
 * Marks what a model seems to say to whoever asked: lines of its own before and after the HTML. They may be a part of
 * the report all the same, so that a person decides.
 */
const withMarkedTalk = (html: string) => {
  const [from, to] = [html.indexOf("<"), html.lastIndexOf(">") + 1]
  const [before, after] = [html.slice(0, Math.max(0, from)), html.slice(to)]
  const gapBefore = before.slice(before.trimEnd().length)
  const linesAfter = after.slice(0, after.length - after.trimStart().length).split("\n").length - 1
  const isTalk = (words: string) => !/\[\[|\]\]/.test(words)
  const isBefore = isTalk(before) && gapBefore.includes("\n") && beginsText(html, from)
  const isAfter = isTalk(after) && linesAfter >= (endsText(html, to) ? 1 : 2)
  return (isBefore ? doubtful(before) : before) + html.slice(from, to) + (isAfter ? doubtful(after) : after)
}

/** A fence that does not end, or that has something beside it, is no text either. */
const withoutFenceLines = (text: string) =>
  text
    .trim()
    .replace(/^```(?:html)?(?![^\s<])/i, "")
    .replace(/```$/, "")
    .replace(/^[^\S\n]*```(?:html)?[^\S\n]*$/gim, "")

/** What a model answered, as the HTML that a room may have; empty when there is no text in it. */
export const htmlOfAnswer = (answer: string) => {
  const fenced = fencedPart(answer, /<(?:p|div|section|h[1-6]|ul|ol|dl|table)\b/i)
  const inner = fenced === answer ? withoutFence(answer, "html") : fenced
  const clean = cleanHtml(withoutFenceLines(inner))
  const hasBlocks = /<(?:p|h[1-6]|ul|ol|table)\b/.test(clean)
  const html = markReviews(hasBlocks ? withMarkedTalk(clean) : asParagraphs(clean))
  return isEmptyHtml(html) ? "" : html
}
