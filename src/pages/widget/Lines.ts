import { button, element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { richText } from "../dom/RichText.ts"
import type { Chat } from "./Chat.ts"
import type { ChatTexts } from "./ChatTexts.ts"
import { type Line, lastAnswer } from "./Conversation.ts"
import type { Words } from "./Words.ts"

interface LineView {
  readonly chat: Chat
  readonly texts: ChatTexts
  readonly words: Words
  readonly rated: ReadonlyMap<string, "asked" | "liked" | "disliked">
  readonly onRate: (key: string, like: boolean) => void
}

const fateOf = (line: Line, { chat, words }: LineView) => {
  const isOnline = chat.state === "connected"
  switch (line.state) {
    case "sent":
      return undefined
    case "sending":
      return words.sending
    case "lost":
      return words.queued
    case "queued":
      return isOnline ? words.sending : words.queued
    case "failed":
      return words.failed
  }
}

const ratingOf = (line: Line, { onRate, rated, words }: LineView) => {
  const rating = rated.get(line.key)
  if (rating !== undefined) return element("p", { class: "rating" }, words.thanks)
  return element(
    "div",
    { class: "rating", role: "group", "aria-label": words.helpful },
    element("span", { "aria-hidden": "true" }, words.helpful),
    button({ "aria-label": words.like, title: words.like }, () => onRate(line.key, true), icon(icons.like)),
    button({ "aria-label": words.dislike, title: words.dislike }, () => onRate(line.key, false), icon(icons.dislike))
  )
}

const fatePart = (line: Line, view: LineView): ReadonlyArray<Part> => {
  const { chat, words } = view
  const fate = fateOf(line, view)
  if (fate === undefined) return []
  const mayTryAgain = line.state === "failed" && !chat.isOver
  const again = () => button({}, () => chat.sayAgain(line.key), words.again)
  return [
    {
      key: "fate",
      looks: `${fate},${mayTryAgain}`,
      make: () => element("p", { class: "fate" }, fate, mayTryAgain && again())
    }
  ]
}

const ratingPart = (line: Line, view: LineView): ReadonlyArray<Part> =>
  line === lastAnswer(view.chat.lines)
    ? [{ key: "rating", looks: String(view.rated.get(line.key)), make: () => ratingOf(line, view) }]
    : []

/** A line stays the same element and only its state changes, so that nothing is read out twice. */
const makeLine = (line: Line, { texts }: LineView) => {
  const who = element("p", {}, line.from === "visitor" ? texts.youText : (line.name ?? texts.chatTitle))
  const news = element("div", { class: "news" })
  const node = element("li", {}, who, element("p", { class: "bubble", dir: "auto" }, ...richText(line.text)), news)
  const showNews = makeKeyed(news)
  const update = (now: Line, before: Line | undefined, view: LineView) => {
    const begins = before === undefined || before.from !== now.from || before.name !== now.name
    const isPending = now.state !== "sent"
    const classes = ["line", now.from, begins && "first", now.state === "failed" && "failed", isPending && "pending"]
    node.className = classes.filter((name) => name !== false).join(" ")
    if (now.messageID !== null) node.dataset["message"] = String(now.messageID)
    who.className = begins && now.from === "agent" && now.key !== "greeting" ? "who" : "unseen"
    showNews([...fatePart(now, view), ...ratingPart(now, view)])
  }
  return { node, update }
}

type LineElement = ReturnType<typeof makeLine>

const noticeOf = (name: string, { texts }: LineView) => element("li", { class: "notice" }, `${name} ${texts.agentJoin}`)

const greetingOf = ({ texts }: LineView): Line => ({
  key: "greeting",
  from: "agent",
  text: texts.defaultGreeting,
  name: null,
  at: 0,
  messageID: null,
  state: "sent",
  after: null
})

/** Shows everything said so far after the greeting; a note says where somebody joined. */
export const makeLines = () => {
  const list = element("ol", { class: "lines" })
  const show = makeKeyed(list)
  let known = new Map<string, LineElement>()

  const render = (view: LineView) => {
    const all = [greetingOf(view), ...view.chat.lines]
    const made = all.map((line, index) => {
      const shown = known.get(line.key) ?? makeLine(line, view)
      shown.update(line, all[index - 1], view)
      return { line, shown }
    })
    known = new Map(made.map(({ line, shown }) => [line.key, shown]))
    const joinedAfter = ({ key, messageID }: Line): ReadonlyArray<Part> =>
      view.chat.company.joined
        .filter(({ after }) => after === messageID && (key === "greeting" || messageID !== null))
        .map(({ name }) => ({ key: `joined-${name}`, looks: name, make: () => noticeOf(name, view) }))
    show(
      made.flatMap(({ line, shown }) => [{ key: line.key, looks: "", make: () => shown.node }, ...joinedAfter(line)])
    )
  }

  return { list, render }
}
