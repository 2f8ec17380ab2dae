import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { element, listen } from "../dom/Element.ts"
import { type Client, Problem, run, wordsFor } from "./Client.ts"
import { Details } from "./Details.ts"
import { askForTopics, askToEscalate, loadTopics } from "./Dialogs.ts"
import { emptyState, skeleton } from "./Labels.ts"
import type { Live } from "./Live.ts"
import { MessageFiles } from "./MessageFiles.ts"
import { makeMessages } from "./Messages.ts"
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
  readonly turns = new Turns((isNews) => this.#load(isNews))
  readonly #header: TicketHeader
  readonly #log = element("ol", { class: "messages", "aria-label": "Conversation" })
  readonly #typing = element("p", { class: "typing", role: "status" })
  readonly #scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Conversation" })
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
      { onTurn: () => this.render(), onClose: () => this.view.classList.remove("side-open") }
    )
    this.#scroll.append(this.#log, this.#typing)
    listen(this.#scroll, { scroll: () => (this.#isAtEnd = this.#isNearEnd) })
    // Files and pictures come later than their message: whoever looks at the end goes on looking at the end.
    new ResizeObserver(() => this.#isAtEnd && this.#toEnd()).observe(this.#log)
    this.show(undefined)
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
      this.#ticket = ticket
      this.#messages = messages.items.toReversed()
      this.#earlier = messages.totalCount - messages.items.length
      if (isFirst) this.#build()
      this.render()
      if (isFirst) this.#begin()
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
    if (this.#ticket !== undefined && !isGone) return
    this.#ticket = undefined
    const back = element("a", { class: "secondary", href: "#/" }, "Back to the inbox")
    this.view.replaceChildren(
      isGone
        ? emptyState("alert", "This ticket was deleted.", "There is nothing left to show of it.", back)
        : emptyState("alert", "This ticket did not load", wordsFor(error), back)
    )
    if (isGone) this.#onGone()
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
      onEscalate: last && (() => this.#escalate(last)),
      onAbout: () => this.#openSide()
    })
    this.#showMessages(this.#messages, this.#earlier, {
      files: this.#files,
      explained: this.#side.side === "why" ? this.#explained : undefined,
      onExplain: (messageID) => {
        this.#picked = messageID
        this.#openSide()
        this.#side.turnTo("why")
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
    this.view.replaceChildren(
      this.#header.view,
      element(
        "div",
        { class: "ticket-body" },
        element("div", { class: "talk" }, this.#scroll, this.#reply.view),
        this.#side.view
      )
    )
    this.view.classList.remove("side-open")
  }

  /** Whoever chose the ticket is there now; whoever has begun to write elsewhere meanwhile is not called away. */
  #begin() {
    this.#isAtEnd = true
    requestAnimationFrame(() => this.#toEnd())
    const at = document.activeElement
    if (at === null || at === document.body || at.closest(".tickets, .ticket") !== null) this.#header.focus()
  }

  get #isNearEnd() {
    const { clientHeight, scrollHeight, scrollTop } = this.#scroll
    return scrollHeight - scrollTop - clientHeight < 120
  }

  #toEnd() {
    this.#scroll.scrollTop = this.#scroll.scrollHeight
  }

  #lastInbound() {
    return this.#messages.findLast(({ senderType }) => senderType === "EndUser")
  }

  #openSide() {
    this.view.classList.add("side-open")
  }

  /** The message that a person asked about, else the newest. */
  get #explained() {
    return this.#picked ?? this.#lastInbound()?.messageID
  }

  #escalate(message: TicketMessage) {
    askToEscalate(this.#client, message, () => {
      toast("Escalated.")
      this.turns.now()
    })
  }

  async #correctTopics(message: TicketMessage) {
    try {
      const topics = await loadTopics(this.#client)
      if (message.ticketID !== this.#ticketID) return
      askForTopics(this.#client, message, topics, () => {
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
