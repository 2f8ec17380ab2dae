import type { Typing } from "../../../schema/Hub.ts"
import type { CustomerRepID, TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import { button, element, listen, say } from "../dom/Element.ts"
import { authorOf, type Earlier, type MessageHandlers, makeMessages, textOf } from "./Messages.ts"

const typingLasts = 6000

/** Must match the style sheet. */
const low = matchMedia("(max-width: 1240px) and (max-height: 480px)")

const viewTop = (node: Element) => node.getBoundingClientRect().top

/** The conversation of the open ticket: messages, typing indicator and the answer below. The end stays in view. */
export class Talk {
  readonly view: HTMLElement
  #isAtEnd = true
  /** The last message of a ticket that was just opened, until something else comes or somebody scrolls. */
  #opened: Element | undefined
  /** Where the view was moved to: it is elsewhere after a person has scrolled. */
  #placed = 0
  #typist: CustomerRepID | null = null
  #typingEnds: ReturnType<typeof setTimeout> | undefined
  readonly #log = element("ol", { class: "messages", "aria-label": "Conversation" })
  readonly #typing = element("p", { class: "typing", role: "status" })
  readonly #scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Conversation" })
  /** The customer's latest messages, for screen readers. */
  readonly #news = element("p", { class: "unseen", role: "status" })
  /** Others' messages that came below the view. */
  #unseen: ReadonlyArray<TicketMessageID> = []
  readonly #toUnseen = button({ class: "secondary", hidden: true }, () => this.#showUnseen())
  readonly #showMessages = makeMessages(this.#log)
  readonly #pane: HTMLElement
  readonly #me: CustomerRepID

  constructor(pane: HTMLElement, reply: HTMLElement, me: CustomerRepID) {
    this.#pane = pane
    this.#me = me
    this.#scroll.append(this.#log, this.#typing)
    const below = element("div", { class: "below" }, this.#toUnseen)
    this.view = element("div", { class: "talk" }, this.#scroll, this.#news, below, reply)
    for (const one of [this.#scroll, pane]) {
      listen(one, { scroll: () => this.#scrolled() })
    }
    // Files and pictures load after their message: a view at the end stays at the end.
    new ResizeObserver(() => this.#place(this.#isAtEnd)).observe(this.#log)
    // Toasts appear above the answer, not on its buttons.
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--reply", `${reply.offsetHeight}px`)
    }).observe(reply)
  }

  /** Called when another ticket is about to be shown. */
  clear() {
    this.#hideTyping()
    this.#news.textContent = ""
    this.#setUnseen([])
  }

  /** Called when the ticket is shown for the first time. */
  begin() {
    this.#isAtEnd = true
    this.#opened = this.#last
    requestAnimationFrame(() => this.#place(this.#isAtEnd))
  }

  /**
   * Shows the messages, and then what is around them. A view at the end stays at the end, and when earlier messages
   * arrive, the messages already in view stay in place.
   */
  show(messages: ReadonlyArray<TicketMessage>, earlier: Earlier, handlers: MessageHandlers, showRest: () => void) {
    const isAtEnd = this.#isNearEnd
    const first = this.#log.querySelector(".message")
    const top = first === null ? undefined : viewTop(first)
    const hadFocus = this.#log.matches(":focus-within")
    this.#showMessages(messages, earlier, handlers)
    const isFirst = first === null || first === this.#log.querySelector(".message")
    if (top !== undefined && first?.isConnected === true && !isFirst) {
      this.#scroller.scrollTop += viewTop(first) - top
    }
    // The button for earlier messages disappears with the last of them.
    if (hadFocus && !this.#log.matches(":focus-within")) this.#scroll.focus({ preventScroll: true })
    showRest()
    if (this.#opened !== this.#last) this.#opened = undefined
    this.#place(isAtEnd)
  }

  /** Announces what the customer has written since the given message, and leads to all that is below the view. */
  tell(messages: ReadonlyArray<TicketMessage>, newest: number) {
    const others = messages.filter(({ customerRepID, messageID }) => messageID > newest && customerRepID !== this.#me)
    if (others.some(({ customerRepID }) => customerRepID === this.#typist)) this.#hideTyping()
    if (!this.#isNearEnd) this.#setUnseen([...this.#unseen, ...others.map(({ messageID }) => messageID)])
    const news = others.filter(({ senderType }) => senderType === "EndUser")
    if (news.length === 0) return
    this.#news.textContent = news.map((one) => `${authorOf(one)}: ${textOf(one)}`.slice(0, 1000)).join("\n")
  }

  #setUnseen(unseen: ReadonlyArray<TicketMessageID>) {
    this.#unseen = unseen
    if (unseen.length === 0 && this.#toUnseen.matches(":focus")) this.#scroll.focus({ preventScroll: true })
    const words = unseen.length === 1 ? "New message" : `${unseen.length} new messages`
    say(this.#toUnseen, unseen.length === 0 ? undefined : words)
  }

  #showUnseen() {
    const first = this.#log.querySelector(`[data-message="${this.#unseen[0]}"]`)
    if (first !== null) this.#scroller.scrollTop += viewTop(first) - viewTop(this.#scroller) - 12
    this.#setUnseen([])
  }

  showTyping({ customerRepID, from }: Typing) {
    clearTimeout(this.#typingEnds)
    this.#typist = customerRepID ?? null
    const who = this.#typist === null ? "The customer" : `${from} from your team`
    say(this.#typing, `${who} is typing…`)
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

  get #last() {
    return [...this.#log.querySelectorAll(".message")].at(-1)
  }

  #scrolled() {
    this.#isAtEnd = this.#isNearEnd
    if (this.#isAtEnd) this.#setUnseen([])
    if (this.#scroller.scrollTop !== this.#placed) this.#opened = undefined
  }

  /**
   * Keeps a view at the end there. When a ticket was opened, though, a message from the customer that is longer than the
   * view is read from its first line, also when files make it longer only now.
   */
  #place(isAtEnd: boolean) {
    const opened = this.#opened
    if (!isAtEnd && opened === undefined) return
    const scroller = this.#scroller
    scroller.scrollTop = scroller.scrollHeight
    const above = opened?.matches(".inbound") === true ? viewTop(scroller) - viewTop(opened) : 0
    if (above > 0) scroller.scrollTop -= above + 12
    this.#placed = scroller.scrollTop
  }
}
