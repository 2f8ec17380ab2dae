import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { element, listen } from "../dom/Element.ts"
import { authorOf, type Earlier, type MessageHandlers, makeMessages, textOf } from "./Messages.ts"

const typingLasts = 6000

/** Must match the style sheet. */
const low = matchMedia("(max-width: 1240px) and (max-height: 480px)")

/** The conversation of the open ticket: messages, typing indicator and the answer below. The end stays in view. */
export class Talk {
  readonly view: HTMLElement
  #isAtEnd = true
  #typingEnds: ReturnType<typeof setTimeout> | undefined
  readonly #log = element("ol", { class: "messages", "aria-label": "Conversation" })
  readonly #typing = element("p", { class: "typing", role: "status" })
  readonly #scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Conversation" })
  /** The customer's latest messages, for screen readers. */
  readonly #news = element("p", { class: "unseen", role: "status" })
  readonly #showMessages = makeMessages(this.#log)
  readonly #pane: HTMLElement

  constructor(pane: HTMLElement, reply: HTMLElement) {
    this.#pane = pane
    this.#scroll.append(this.#log, this.#typing)
    this.view = element("div", { class: "talk" }, this.#scroll, this.#news, reply)
    for (const one of [this.#scroll, pane]) {
      listen(one, { scroll: () => (this.#isAtEnd = this.#isNearEnd) })
    }
    // Files and pictures load after their message: a view at the end stays at the end.
    new ResizeObserver(() => this.#isAtEnd && this.#toEnd()).observe(this.#log)
    // Toasts appear above the answer, not on its buttons.
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--reply", `${reply.offsetHeight}px`)
    }).observe(reply)
  }

  /** Called when another ticket is about to be shown. */
  clear() {
    this.#hideTyping()
    this.#news.textContent = ""
  }

  /** Called when the ticket is shown for the first time. */
  begin() {
    this.#isAtEnd = true
    requestAnimationFrame(() => {
      this.#toEnd()
      this.#toBeginningOfLast()
    })
  }

  /**
   * Shows the messages, and then what is around them. A view at the end stays at the end, and when earlier messages
   * arrive, the messages already in view stay in place.
   */
  show(messages: ReadonlyArray<TicketMessage>, earlier: Earlier, handlers: MessageHandlers, showRest: () => void) {
    const isAtEnd = this.#isNearEnd
    const first = this.#log.querySelector(".message")
    const top = first?.getBoundingClientRect().top
    const hadFocus = this.#log.matches(":focus-within")
    this.#showMessages(messages, earlier, handlers)
    const isFirst = first === null || first === this.#log.querySelector(".message")
    if (top !== undefined && first?.isConnected === true && !isFirst) {
      this.#scroller.scrollTop += first.getBoundingClientRect().top - top
    }
    // The button for earlier messages disappears with the last of them.
    if (hadFocus && !this.#log.matches(":focus-within")) this.#scroll.focus({ preventScroll: true })
    if (messages.at(-1)?.senderType === "EndUser" && isAtEnd) this.#hideTyping()
    showRest()
    if (isAtEnd) this.#toEnd()
  }

  /** Announces what the customer has written since the given message. */
  tell(messages: ReadonlyArray<TicketMessage>, newest: number) {
    const news = messages.filter(({ messageID, senderType }) => messageID > newest && senderType === "EndUser")
    if (news.length === 0) return
    this.#news.textContent = news.map((one) => `${authorOf(one)}: ${textOf(one)}`.slice(0, 1000)).join("\n")
  }

  showTyping() {
    clearTimeout(this.#typingEnds)
    this.#typing.textContent = "The customer is typing…"
    this.#typingEnds = setTimeout(() => this.#hideTyping(), typingLasts)
  }

  #hideTyping() {
    clearTimeout(this.#typingEnds)
    this.#typing.textContent = ""
  }

  /** The conversation scrolls on its own; on a low screen everything scrolls as one. */
  get #scroller() {
    return low.matches ? this.#pane : this.#scroll
  }

  get #isNearEnd() {
    const { clientHeight, scrollHeight, scrollTop } = this.#scroller
    return scrollHeight - scrollTop - clientHeight < 120
  }

  /** A message from the customer that is longer than the view is read from its first line. */
  #toBeginningOfLast() {
    const last = [...this.#log.querySelectorAll(".message")].at(-1)
    const above = last?.matches(".inbound") === true ? this.#viewTop - last.getBoundingClientRect().top : 0
    if (above <= 0) return
    this.#isAtEnd = false
    this.#scroller.scrollTop -= above + 12
  }

  get #viewTop() {
    return this.#scroller.getBoundingClientRect().top
  }

  #toEnd() {
    const scroller = this.#scroller
    scroller.scrollTop = scroller.scrollHeight
  }
}
