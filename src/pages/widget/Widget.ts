import { readableOn, textOn } from "../dom/Contrast.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { Chat } from "./Chat.ts"
import { loadTexts } from "./ChatTexts.ts"
import type { Options } from "./Options.ts"
import { makePanel } from "./Panel.ts"
import { makeTicketStore } from "./TicketStore.ts"
import { makeUnsentStore } from "./UnsentStore.ts"
import { wordsIn } from "./Words.ts"
import styleSheet from "./widget.css"

/** The element on the host page. Its inline style overrides the page's own style sheets. */
const makeHost = () => {
  const host = element("div", { "data-casework-chat": "" })
  const style = { all: "initial", position: "fixed", "z-index": "2147483000", "inset-block-end": "0", display: "block" }
  for (const [name, value] of Object.entries(style)) host.style.setProperty(name, value, "important")
  return host
}

/**
 * Hidden from the page: text typed here seems to be typed outside of any field there, and would trigger its shortcuts.
 */
const privateEvents = ["keydown", "keypress", "keyup", "beforeinput", "input", "paste", "copy", "cut"]

const surfaces = { light: "#ffffff", dark: "#171a20" }

const followTheme = (host: HTMLElement, { accent, theme }: Options) => {
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const apply = () => {
    const chosen = theme === "auto" ? (dark.matches ? "dark" : "light") : theme
    host.dataset["theme"] = chosen
    if (accent === undefined) return
    host.style.setProperty("--accent", accent)
    const onAccent = textOn(accent)
    host.style.setProperty("--on-accent", onAccent)
    host.style.setProperty("--online", onAccent === "#ffffff" ? "#7df0b3" : "#0d5c35")
    host.style.setProperty("--accent-ink", readableOn(accent, surfaces[chosen]))
  }
  apply()
  dark.addEventListener("change", apply)
}

/** Puts the chat on the page: a button, and the window that it opens. */
export const mountWidget = async (options: Options) => {
  const host = makeHost()
  // Appended before anything is awaited: a second script tag must find it.
  document.body.append(host)
  const texts = await loadTexts(options)
  const words = wordsIn(options.language)
  const store = makeTicketStore(options.channelToken)
  const chat = new Chat(options, store, makeUnsentStore(options.channelToken))

  const shadow = host.attachShadow({ mode: "open" })
  // A constructed sheet, since a page's Content-Security-Policy may forbid style elements.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styleSheet)
  shadow.adoptedStyleSheets = [sheet]
  followTheme(host, options)

  let isOpen = false
  const unreadAnswers = () => {
    const { seen } = store
    return chat.lines.filter(({ from, messageID }) => from === "agent" && messageID !== null && messageID > seen)
  }

  const toggle = (open: boolean) => {
    isOpen = open
    panel.panel.hidden = !open
    root.classList.toggle("open", open)
    launcher.setAttribute("aria-expanded", String(open))
    launcher.replaceChildren(icon(open ? icons.down : icons.chat), badge)
    if (open) chat.start()
    render()
    if (open) {
      panel.toEnd()
      panel.focus()
    } else launcher.focus()
  }

  const render = () => {
    panel.render()
    const newest = isOpen ? unreadAnswers().at(-1)?.messageID : undefined
    if (typeof newest === "number") store.see(newest)
    const unread = unreadAnswers().length
    badge.hidden = unread === 0
    badge.textContent = String(unread)
    const name = isOpen ? words.close : words.open
    launcher.setAttribute("aria-label", unread === 0 ? name : `${name}. ${words.newMessages}: ${unread}`)
  }

  const panel = makePanel(chat, texts, words, () => toggle(false))
  const badge = element("span", { class: "badge", hidden: true, "aria-hidden": "true" })
  const launcher = button(
    { class: "launcher", "aria-expanded": "false", "aria-controls": "panel" },
    () => toggle(!isOpen),
    icon(icons.chat),
    badge
  )
  const root = element(
    "div",
    { class: `root ${options.side}`, lang: options.language, dir: options.isRightToLeft ? "rtl" : "ltr" },
    launcher,
    panel.panel
  )
  /** While closed, the chat is one more button on the page, so the page's shortcuts apply to it too. */
  const isOurs = (event: Event) =>
    isOpen || (event instanceof KeyboardEvent && (event.key === "Enter" || event.key === " "))
  for (const type of privateEvents) {
    root.addEventListener(type, (event) => {
      if (isOurs(event)) event.stopPropagation()
    })
  }
  listen(root, {
    keydown: (event) => {
      if (event.key === "Escape" && !event.isComposing && isOpen) toggle(false)
    }
  })
  shadow.append(root)

  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) panel.comeBack()
  })
  store.onOtherTab(() => chat.follow())
  chat.onChange = render
  render()
  // A visitor who was in a chat before the page was loaded again still is.
  if (chat.isOngoing) chat.start()
  if (options.startsOpen) toggle(true)
}
