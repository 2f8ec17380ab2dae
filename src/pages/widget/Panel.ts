import { button, element, icon } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import type { Chat } from "./Chat.ts"
import type { ChatState } from "./ChatState.ts"
import type { ChatTexts } from "./ChatTexts.ts"
import { patience } from "./Company.ts"
import { makeComposer } from "./Composer.ts"
import { makeEscalation } from "./Escalation.ts"
import { makeLines } from "./Lines.ts"
import type { Words } from "./Words.ts"

const statusIn = (words: Words): Readonly<Record<ChatState, string>> => ({
  stopped: words.connecting,
  connecting: words.connecting,
  connected: words.connected,
  waiting: words.offline,
  full: words.full,
  switchedOff: words.switchedOff,
  forbidden: words.forbidden,
  cutOff: words.cutOff
})

/** The window itself: header, lines, escalation and composer. */
export const makePanel = (chat: Chat, texts: ChatTexts, words: Words, onClose: () => void) => {
  const rated = new Map<string, "asked" | "liked" | "disliked">()
  const status = element("p", { class: "status", role: "status" })
  const typing = element("p", { class: "typing", "aria-live": "off" })
  const lines = makeLines()
  const escalation = makeEscalation(texts, words, {
    onAsk: async () => (await chat.requestAgent()).agentAvailable,
    onEmail: (email) => chat.requestAgent(email),
    onDone: () => composer.focus()
  })

  let signsWhenAsked = 0
  let stateSaid: ChatState = "stopped"

  const log = element(
    "div",
    { class: "log", role: "log", "aria-live": "polite", "aria-label": texts.chatTitle, tabindex: 0 },
    lines.list,
    escalation.card,
    typing
  )
  const composer = makeComposer(texts, words, chat.draft ?? "", {
    onSend: (text) => {
      chat.say(text)
      log.scrollTop = log.scrollHeight
    },
    onTyping: () => chat.noteTyping(),
    onDraft: (text) => chat.keepDraft(text)
  })
  const panel = element(
    "section",
    { class: "panel", id: "panel", role: "dialog", "aria-label": texts.chatTitle, hidden: true },
    element(
      "header",
      { class: "header" },
      element("div", { class: "mark" }, icon(icons.chat)),
      element("div", { class: "heading" }, element("h2", { class: "title" }, texts.chatTitle), status),
      button({ "aria-label": words.close, title: words.close }, onClose, icon(icons.down))
    ),
    log,
    composer.form
  )

  const rate = async (key: string, like: boolean) => {
    rated.set(key, like ? "liked" : "disliked")
    render()
    composer.focus()
    try {
      const { agentAvailable } = await chat.rate(like)
      const isTalkedTo = chat.company.present !== undefined && agentAvailable
      if (!like && !isTalkedTo) ask()
    } catch {
      // The rating was not recorded: the question comes back and can be answered again.
      rated.delete(key)
      render()
    }
  }

  const ask = () => {
    signsWhenAsked = chat.company.signsOfLife
    escalation.ask()
  }

  const offer = () => {
    if (!escalation.wasAsked()) ask()
  }

  const isWaitingLong = () => {
    const last = chat.lines.at(-1)
    return (
      chat.state === "connected" &&
      chat.company.present === undefined &&
      last?.from === "visitor" &&
      Date.now() - last.at > patience
    )
  }

  /** Shows what also changes with time alone. */
  const renderPresence = () => {
    status.className = `status ${chat.state}`
    const somebody = chat.state === "connected" ? chat.company.present : undefined
    // A new attempt to connect is no news: the last state still holds.
    if (chat.state !== "connecting" || stateSaid === "stopped") stateSaid = chat.state
    const state = somebody ?? statusIn(words)[stateSaid]
    if (status.textContent !== state) status.textContent = state
    if (chat.company.signsOfLife > signsWhenAsked || chat.isOver) escalation.settle(chat.isOver)
    escalation.searchNoLonger()
    if (isWaitingLong()) offer()
  }

  const render = () => {
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80
    const hadFocus = lines.list.matches(":focus-within")
    lines.render({ chat, texts, words, rated, onRate: (key, like) => void rate(key, like) })
    // The button that had the focus may be gone or have moved.
    if (hadFocus && !lines.list.matches(":focus-within")) log.focus({ preventScroll: true })
    typing.replaceChildren(
      ...(chat.company.typist === undefined
        ? []
        : [
            element("span", { class: "dots", "aria-hidden": "true" }, element("i"), element("i"), element("i")),
            `${chat.company.typist} ${words.typing}`
          ])
    )
    composer.allow(!chat.isOver)
    renderPresence()
    if (isAtEnd) log.scrollTop = log.scrollHeight
  }

  setInterval(() => {
    if (!panel.hidden) renderPresence()
  }, 5000)

  /** Called when the browser restores the page as it was left. */
  const comeBack = () => {
    chat.comeBack()
    // Where storage is unavailable, the text in the field is the only copy.
    if (chat.draft !== undefined) composer.write(chat.draft)
  }

  return { panel, render, comeBack, focus: composer.focus, toEnd: () => (log.scrollTop = log.scrollHeight) }
}
