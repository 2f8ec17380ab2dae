import { button, element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { richText } from "../dom/RichText.ts"
import type { Chat } from "./Chat.ts"
import type { ChatTexts } from "./ChatTexts.ts"
import { type Line, lastAnswer } from "./Conversation.ts"
import type { Words } from "./Words.ts"

export interface LineView {
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

const lineOf = (line: Line, before: Line | undefined, view: LineView) => {
  const { chat, texts, words } = view
  const fate = fateOf(line, view)
  const begins = before === undefined || before.from !== line.from || before.name !== line.name
  const who = line.from === "visitor" ? texts.youText : (line.name ?? texts.chatTitle)
  const classes = [
    "line",
    line.from,
    begins ? "first" : "",
    line.state === "failed" ? "failed" : "",
    fate === undefined ? "" : "pending"
  ]
  return element(
    "li",
    { class: classes.join(" ").trim(), "data-message": line.messageID ?? undefined },
    element("p", { class: begins && line.from === "agent" && line.key !== "greeting" ? "who" : "unseen" }, who),
    element("p", { class: "bubble", dir: "auto" }, ...richText(line.text)),
    fate !== undefined &&
      element(
        "p",
        { class: "fate" },
        fate,
        line.state === "failed" && !chat.isOver && button({}, () => chat.sayAgain(line.key), words.again)
      ),
    line === lastAnswer(chat.lines) && ratingOf(line, view)
  )
}

const noticeOf = (name: string, { texts }: LineView) => element("li", { class: "notice" }, `${name} ${texts.agentJoin}`)

const shown = (view: LineView): ReadonlyArray<Part> => {
  const { chat, rated, texts } = view
  const greeting: Line = {
    key: "greeting",
    from: "agent",
    text: texts.defaultGreeting,
    name: null,
    at: 0,
    messageID: null,
    state: "sent"
  }
  const joinedAfter = (messageID: number | null) =>
    chat.company.joined
      .filter(({ after }) => after === messageID)
      .map(({ name }) => ({ key: `joined-${name}`, looks: name, make: () => noticeOf(name, view) }))
  const all = [greeting, ...chat.lines]
  const answer = lastAnswer(chat.lines)
  return all.flatMap((line, index) => [
    {
      key: line.key,
      looks: [
        fateOf(line, view),
        line.state === "failed" && chat.isOver,
        line.messageID,
        all[index - 1]?.from,
        line === answer,
        rated.get(line.key)
      ].join(),
      make: () => lineOf(line, all[index - 1], view)
    },
    ...(line.key === "greeting" || line.messageID !== null ? joinedAfter(line.messageID) : [])
  ])
}

/** Shows everything said so far, after the greeting; who joined stands where it happened. */
export const makeLines = () => {
  const list = element("ol", { class: "lines" })
  const show = makeKeyed(list)
  return { list, render: (view: LineView) => show(shown(view)) }
}
