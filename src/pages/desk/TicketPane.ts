import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, listen } from "../dom/Element.ts"
import { type Client, Problem, run, waitFor, wordsFor } from "./Client.ts"
import { Details } from "./Details.ts"
import { askForTopics, askToEscalate, loadTopics } from "./Dialogs.ts"
import { emptyState, skeleton } from "./Labels.ts"
import type { Live } from "./Live.ts"
import { MessageFiles } from "./MessageFiles.ts"
import { authorOf, makeMessages, textOf } from "./Messages.ts"
import type { People } from "./People.ts"
import { Reply } from "./Reply.ts"
import { SidePanel } from "./SidePanel.ts"
import { makeTicketCommands, type TicketCommands } from "./TicketCommands.ts"
import { TicketHeader } from "./TicketHeader.ts"
import { toast } from "./Toast.ts"
import { Trace } from "./Trace.ts"
import { Turns } from "./Turns.ts"
import type { UnsentTexts } from "./Unsent.ts"

const typingLasts = 6000

/** As the styles have it. */
const narrow = matchMedia("(max-width: 1240px)")
const phone = matchMedia("(max-width: 760px)")
const low = matchMedia("(max-width: 1240px) and (max-height: 480px)")

const aside = "about the ticket"

/** One ticket: the conversation in the middle, facts and reasons beside it. */
export class TicketPane {
  readonly view = element("section", { class: "ticket", "aria-label": "Ticket" })
  #ticketID: TicketID | undefined
  #ticket: Ticket | undefined
  #messages: ReadonlyArray<TicketMessage> = []
  #earlier = 0
  #picked: TicketMessageID | undefined
  #isTyping = false
  #isAtEnd = true
  #typingEnds: ReturnType<typeof setTimeout> | undefined
  readonly #left = new AbortController()
  readonly turns = new Turns((isNews) => this.#load(isNews))
  readonly #header: TicketHeader
  readonly #log = element("ol", { class: "messages", "aria-label": "Conversation" })
  readonly #typing = element("p", { class: "typing", role: "status" })
  readonly #scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Conversation" })
  /** What the customer has said just now, for those who hear the desk. */
  readonly #news = element("p", { class: "unseen", role: "status" })
  readonly #talk: HTMLElement
  /** Where the keyboard was when the panel came over the conversation; without it, none has come. */
  #openedFrom: Element | null | undefined
  readonly #showMessages = makeMessages(this.#log)
  readonly #files: MessageFiles
  readonly #reply: Reply
  readonly #trace: Trace
  readonly #details: Details
  readonly #side: SidePanel
  readonly #commands: TicketCommands
  readonly #client: Client
  readonly #live: Live
  readonly #onGone: () => void

  constructor(client: Client, people: People, live: Live, unsent: UnsentTexts, onGone: () => void) {
    this.#client = client
    this.#live = live
    this.#onGone = onGone
    const reload = () => this.turns.now()
    this.#commands = makeTicketCommands(client, reload)
    this.#header = new TicketHeader(people, this.#commands)
    this.#files = new MessageFiles(client, () => this.render())
    this.#reply = new Reply(client, live, unsent, this.#files, reload)
    this.#trace = new Trace(client)
    this.#details = new Details(client, people, this.#commands)
    this.#side = new SidePanel(
      { why: this.#trace.view, details: this.#details.view },
      { onTurn: () => this.render(), onClose: () => this.#closeSide() }
    )
    this.#scroll.append(this.#log, this.#typing)
    this.#talk = element("div", { class: "talk" }, this.#scroll, this.#news, this.#reply.view)
    // With room for both, nothing covers anything.
    const whileThere = { signal: this.#left.signal }
    narrow.addEventListener("change", () => this.#hideSide(), whileThere)
    addEventListener("popstate", () => this.#hideSide(), whileThere)
    for (const one of [this.#scroll, this.view]) {
      listen(one, { scroll: () => (this.#isAtEnd = this.#isNearEnd) })
    }
    // Files and pictures come later than their message: whoever looks at the end goes on looking at the end.
    new ResizeObserver(() => this.#isAtEnd && this.#toEnd()).observe(this.#log)
    // What is said for a moment stands above the answer, not on its buttons.
    new ResizeObserver(() => {
      document.documentElement.style.setProperty("--reply", `${this.#reply.view.offsetHeight}px`)
    }).observe(this.#reply.view)
    this.show(undefined)
  }

  stop() {
    this.turns.stop()
    this.#left.abort()
  }

  get ticketID() {
    return this.#ticketID
  }

  show(ticketID: TicketID | undefined) {
    this.#live.leave()
    this.#ticketID = ticketID
    this.#ticket = undefined
    this.#messages = []
    this.#picked = undefined
    this.#files.forget()
    this.#hideTyping()
    this.#hideSide()
    this.#news.textContent = ""
    if (ticketID === undefined) {
      const text = "Choose a ticket on the left. New ones arrive by themselves."
      this.view.replaceChildren(emptyState("inbox", "Nothing chosen", text))
      return
    }
    this.view.replaceChildren(skeleton(8))
    this.turns.anew()
  }

  /** Asks for everything that is shown. */
  async #load(isNews: () => boolean) {
    const ticketID = this.#ticketID
    if (ticketID === undefined) return
    try {
      const [ticket, messages] = await Promise.all([
        run(this.#client.tickets.getTicket({ path: { id: ticketID } })),
        run(
          this.#client.ticketMessages.listTicketMessages({
            urlParams: { ticketId: ticketID, pageSize: 200, sortBy: "dateCreated", sortOrder: "desc" }
          })
        )
      ])
      if (ticketID !== this.#ticketID || !isNews()) return
      const isFirst = this.#ticket === undefined
      const newest = Math.max(...this.#messages.map(({ messageID }) => messageID))
      this.#ticket = ticket
      this.#messages = messages.items.toReversed()
      this.#earlier = messages.totalCount - messages.items.length
      if (isFirst) this.#build()
      this.render()
      if (isFirst) this.#begin()
      else this.#tellNews(newest)
      const last = this.#lastInbound()
      // What goes along with the answer is looked up each time: a colleague may have added to it.
      const mayHaveFiles = last?.hasAttachment === true || (last && this.#files.forAnswerTo(last.messageID).length > 0)
      if (last && mayHaveFiles) void this.#files.ask(last.messageID)
      void this.#trace.show(this.#explained)
    } catch (error) {
      if (ticketID === this.#ticketID && isNews()) this.#showProblem(error)
    }
  }

  /** What is shown stays when it only cannot be asked for; a ticket that is no more does not. */
  #showProblem(error: unknown) {
    const isGone = error instanceof Problem && error.status === 404
    this.turns.later(waitFor(error))
    if (this.#ticket !== undefined && !isGone) return
    this.#ticket = undefined
    const back = element("a", { class: "secondary", href: "#/" }, "Back to the inbox")
    this.view.replaceChildren(
      isGone
        ? emptyState("alert", "This ticket was deleted.", "There is nothing left to show of it.", back)
        : emptyState("alert", "This ticket did not load", wordsFor(error), this.#tryAgain(), back)
    )
    if (isGone) this.#onGone()
  }

  #tryAgain() {
    return button({ class: "secondary" }, () => this.loadAgain(), "Try again")
  }

  /** Chosen once more. */
  loadAgain() {
    if (this.#ticket === undefined) this.show(this.#ticketID)
    else this.turns.now()
  }

  noteTyping(ticketID: number) {
    if (ticketID !== this.#ticketID) return
    this.#isTyping = true
    clearTimeout(this.#typingEnds)
    this.#typingEnds = setTimeout(() => this.#hideTyping(), typingLasts)
    this.#renderTyping()
  }

  render() {
    const ticket = this.#ticket
    if (ticket === undefined) return
    const isAtEnd = this.#isNearEnd
    const last = this.#lastInbound()
    this.#header.update(ticket, {
      onEscalate: last && (() => this.#escalate(ticket, last)),
      onAbout: () => (this.#openedFrom === undefined ? this.#openSide() : this.#closeSide()),
      isAboutOpen: this.#openedFrom !== undefined
    })
    this.#showMessages(this.#messages, this.#earlier, {
      files: this.#files,
      explained: this.#side.side === "why" ? this.#explained : undefined,
      onExplain: (messageID) => {
        this.#picked = messageID
        this.#side.turnTo("why")
        this.#openSide()
        void this.#trace.show(this.#explained)
      },
      onTopics: (message) => void this.#correctTopics(message)
    })
    if (this.#messages.at(-1)?.senderType === "EndUser" && isAtEnd) this.#hideTyping()
    this.#reply.update(ticket, this.#messages)
    this.#details.update(ticket)
    this.#side.render()
    if (isAtEnd) this.#toEnd()
  }

  #build() {
    this.view.replaceChildren(this.#header.view, element("div", { class: "ticket-body" }, this.#talk, this.#side.view))
  }

  /** Whoever chose the ticket is there now; whoever has begun to write elsewhere meanwhile is not called away. */
  #begin() {
    this.#isAtEnd = true
    requestAnimationFrame(() => this.#toEnd())
    const at = document.activeElement
    if (at === null || at === document.body || at.closest(".tickets, .ticket") !== null) this.#header.focus()
  }

  /** The conversation scrolls by itself; on a low screen everything does, as one. */
  get #scroller() {
    return low.matches ? this.view : this.#scroll
  }

  get #isNearEnd() {
    const { clientHeight, scrollHeight, scrollTop } = this.#scroller
    return scrollHeight - scrollTop - clientHeight < 120
  }

  #toEnd() {
    const scroller = this.#scroller
    scroller.scrollTop = scroller.scrollHeight
  }

  #tellNews(newest: number) {
    const news = this.#messages.filter(({ messageID, senderType }) => messageID > newest && senderType === "EndUser")
    if (news.length === 0) return
    this.#news.textContent = news.map((one) => `${authorOf(one)}: ${textOf(one)}`.slice(0, 1000)).join("\n")
  }

  #lastInbound() {
    return this.#messages.findLast(({ senderType }) => senderType === "EndUser")
  }

  /** Where there is no room beside the conversation, the panel comes over it, and the keyboard goes along. */
  #openSide() {
    if (!narrow.matches || this.#openedFrom !== undefined) return
    this.#openedFrom = document.activeElement
    this.view.classList.add("side-open")
    this.#talk.inert = true
    // On a phone it looks like a page of its own, so that the way back from it leads to the ticket.
    if (phone.matches) history.pushState(aside, "")
    this.render()
    this.#side.focus()
  }

  #closeSide() {
    const from = this.#openedFrom
    this.#hideSide()
    if (history.state === aside) history.back()
    if (from instanceof HTMLElement) from.focus()
    if (document.activeElement !== from || from === document.body) this.#header.focusAbout()
  }

  #hideSide() {
    if (this.#openedFrom === undefined) return
    const hadFocus = this.#side.view.contains(document.activeElement)
    this.#openedFrom = undefined
    this.view.classList.remove("side-open")
    this.#talk.inert = false
    this.render()
    if (hadFocus) this.#header.focusAbout()
  }

  /** The message that a person asked about, else the newest. */
  get #explained() {
    return this.#picked ?? this.#lastInbound()?.messageID
  }

  #escalate(ticket: Ticket, message: TicketMessage) {
    askToEscalate(this.#client, ticket, message, () => {
      toast("Escalated.")
      // The button goes, now that there is nothing left to escalate.
      if (ticket.ticketID === this.#ticketID) this.#header.focus()
      this.turns.now()
    })
  }

  async #correctTopics(message: TicketMessage) {
    try {
      const topics = await loadTopics(this.#client)
      const ticket = this.#ticket
      if (ticket === undefined || message.ticketID !== ticket.ticketID) return
      askForTopics(this.#client, ticket, message, topics, () => {
        toast("Topics saved.")
        this.turns.now()
      })
    } catch (error) {
      toast(wordsFor(error))
    }
  }

  #hideTyping() {
    clearTimeout(this.#typingEnds)
    this.#isTyping = false
    this.#renderTyping()
  }

  #renderTyping() {
    this.#typing.textContent = this.#isTyping ? "The customer is typing…" : ""
  }
}
