import sanitize from "sanitize-html"
import { fencedPart, withoutFence } from "../ai/AnswerText.ts"
import { hasMoreThan, isTooMuch, withoutTags } from "../platform/text/Html.ts"
import { isEmptyHtml } from "./EmptyHtml.ts"
import { markReviews, review } from "./ReviewMarks.ts"
import { containers, transparent, withoutDivs } from "./WithoutDivs.ts"

const emphasis = ["strong", "b", "em", "i", "u", "s"]

const blocks = ["h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "ul", "ol", "li"]

const tables = ["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"]

const isReview = (attributes: sanitize.Attributes) => /(?:^|\s)review(?:\s|$)/.test(attributes["class"] ?? "")

/** Keeps only the named attributes, and only if their value matches the given number pattern. */
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
    // Styles need no parsing: transformTags leaves none but our own.
    parseStyleAttributes: false,
    nonTextTags: ["script", "style", "textarea", "option", "noscript", "title", "iframe", "xmp", "svg", "math"],
    nestingLimit: 50,
    transformTags: {
      // Other spans are removed later: sanitize would write their end tag in place of the next one.
      span: (_, attributes) =>
        isReview(attributes) ? { tagName: "span", attribs: { ...review } } : { tagName: transparent, attribs: {} },
      mark: () => ({ tagName: "span", attribs: { ...review } }),
      // A list may continue its numbering after a paragraph.
      ol: keeping(["start"], /^[1-9]\d{0,3}$/),
      td: cell,
      th: cell,
      ...becoming("div", containers),
      ...becoming("ul", ["dir", "menu"]),
      ...becoming("s", ["del", "strike"])
    }
  })

/** Writes line breaks as tags, because nothing else separates the lines of a pre element. */
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

/** Several passes over this many tags take a quarter of a second. A long room has a few hundred. */
export const mostTags = 10_000

/**
 * Whether there is more in the HTML than a room may have: cleaning it would take too long and block all other requests.
 */
export const isTooMuchForRoom = (html: string) =>
  // The lines of a pre element are tags as well, once they are written as such.
  [html, withLines(html)].some((text) => hasMoreThan(text, "<", mostTags)) || isTooMuch(html)

/**
 * Reduces HTML to headings, paragraphs, lists, tables, emphasis and review marks. Of all else only the text stays, in
 * paragraphs where it stood apart. Removing a tag may change how its surroundings read, so cleaning repeats until
 * nothing changes.
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

/** Whether a paragraph or a heading begins, or ends, at this position. */
const beginsText = (html: string, at: number) => /^<(?:h[1-6]|p)\b/.test(html.slice(at, at + 4))
const endsText = (html: string, at: number) => /<\/(?:h[1-6]|p)>$/.test(html.slice(Math.max(0, at - 5), at))

const doubtful = (words: string) => (words.trim() === "" ? "" : `<p>[[${words.trim()}]]</p>`)

/**
 * Marks for review what a model seems to say to the user: lines of its own before and after the HTML. They may still be
 * part of the report, so a person decides.
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

/**
 * Removes leftover fence lines: a fence without an end, or with something beside it, is not part of the text either.
 */
const withoutFenceLines = (text: string) =>
  text
    .trim()
    .replace(/^```(?:html)?(?![^\s<])/i, "")
    .replace(/```$/, "")
    .replace(/^[^\S\n]*```(?:html)?[^\S\n]*$/gim, "")

/** Turns a model's answer into the HTML that a room may have; empty when it contains no text. */
export const htmlOfAnswer = (answer: string) => {
  const fenced = fencedPart(answer, /<(?:p|div|section|h[1-6]|ul|ol|dl|table)\b/i)
  const inner = fenced === answer ? withoutFence(answer, "html") : fenced
  const clean = cleanHtml(withoutFenceLines(inner))
  const hasBlocks = /<(?:p|h[1-6]|ul|ol|table)\b/.test(clean)
  const html = markReviews(hasBlocks ? withMarkedTalk(clean) : asParagraphs(clean))
  return isEmptyHtml(html) ? "" : html
}
