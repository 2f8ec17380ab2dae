import type { Typing } from "../../../schema/Hub.ts"
import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element } from "../dom/Element.ts"
import { type Client, run, waitFor, wordsFor } from "./Client.ts"
import { Conversation } from "./Conversation.ts"
import { Cover } from "./Cover.ts"
import { Details } from "./Details.ts"
import { askForTopics, askToEscalate, loadTopics } from "./Dialogs.ts"
import { emptyState, skeleton } from "./Labels.ts"
import type { Live } from "./Live.ts"
import { MessageFiles } from "./MessageFiles.ts"
import type { People } from "./People.ts"
import { Problem } from "./Problem.ts"
import { Reply } from "./Reply.ts"
import { SidePanel } from "./SidePanel.ts"
import { Talk } from "./Talk.ts"
import { makeTicketCommands, type TicketCommands } from "./TicketCommands.ts"
import { TicketHeader } from "./TicketHeader.ts"
import { toast } from "./Toast.ts"
import { Trace } from "./Trace.ts"
import { Turns } from "./Turns.ts"
import type { UnsentTexts } from "./Unsent.ts"

/** One ticket: the conversation in the middle, facts and reasons beside it. */
export class TicketPane {
  readonly view = element("section", { class: "ticket", "aria-label": "Ticket" })
  #ticketID: TicketID | undefined
  #ticket: Ticket | undefined
  #picked: TicketMessageID | undefined
  /** What is shown instead of the ticket. */
  #problem: string | undefined
  readonly #left = new AbortController()
  readonly reply: Reply
  readonly turns = new Turns((isNews) => this.#load(isNews))
  readonly #header: TicketHeader
  readonly #conversation: Conversation
  readonly #talk: Talk
  readonly #cover: Cover
  readonly #files: MessageFiles
  readonly #trace: Trace
  readonly #details: Details
  readonly #side: SidePanel
  readonly #commands: TicketCommands
  readonly #client: Client
  readonly #live: Live
  readonly #onGone: () => void
  /** Runs after a command by this person: an earlier response would show its effect undone. */
  readonly #reload = () => this.turns.anew()

  constructor(client: Client, people: People, live: Live, unsent: UnsentTexts, onGone: () => void) {
    this.#client = client
    this.#live = live
    this.#onGone = onGone
    this.#commands = makeTicketCommands(client, this.#reload)
    this.#header = new TicketHeader(people, this.#commands)
    this.#conversation = new Conversation(client)
    this.#files = new MessageFiles(client, () => this.render())
    this.reply = new Reply(client, live, unsent, this.#files, this.#commands, this.#reload)
    this.#trace = new Trace(client)
    this.#details = new Details(client, people, this.#commands)
    this.#side = new SidePanel(
      { why: this.#trace.view, details: this.#details.view },
      { onTurn: () => this.render(), onClose: () => this.#cover.close() }
    )
    this.#talk = new Talk(this.view, this.reply.view, people.me)
    this.#cover = new Cover(
      {
        pane: this.view,
        talk: this.#talk.view,
        side: this.#side,
        header: this.#header,
        onChange: () => this.render()
      },
      this.#left.signal
    )
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
    this.#problem = undefined
    this.#conversation.clear()
    this.#picked = undefined
    this.#files.forget()
    this.#talk.clear()
    this.#cover.hide()
    if (ticketID === undefined) {
      const text = "Select a ticket from the inbox. New tickets appear there automatically."
      this.view.replaceChildren(emptyState("inbox", "No ticket selected", text))
      return
    }
    this.view.replaceChildren(skeleton(8))
    this.turns.anew()
  }

  /** Loads everything that is shown. */
  async #load(isNews: () => boolean) {
    const ticketID = this.#ticketID
    if (ticketID === undefined) return
    try {
      const [ticket, showConversation] = await Promise.all([
        run(this.#client.tickets.getTicket({ path: { id: ticketID } })),
        this.#conversation.load(ticketID)
      ])
      if (ticketID !== this.#ticketID || !isNews()) return
      const isFirst = this.#ticket === undefined
      const newest = Math.max(...this.#conversation.messages.map(({ messageID }) => messageID))
      this.#ticket = ticket
      showConversation()
      if (isFirst) this.#build()
      this.render()
      if (isFirst) this.#begin()
      else this.#talk.tell(this.#conversation.messages, newest)
      const last = this.#lastInbound()
      // The files of the answer are loaded each time: a colleague may have added some.
      const mayHaveFiles = last?.hasAttachment === true || (last && this.#files.forAnswerTo(last.messageID).length > 0)
      if (last && mayHaveFiles) void this.#files.ask(last.messageID)
      void this.#trace.show(this.#explained)
    } catch (error) {
      if (ticketID === this.#ticketID && isNews()) this.#showProblem(error)
    }
  }

  /** A ticket that merely fails to reload stays on screen; a deleted one does not. */
  #showProblem(error: unknown) {
    const isGone = error instanceof Problem && error.status === 404
    this.turns.later(waitFor(error))
    if (this.#ticket !== undefined && !isGone) return this.#giveUpEarlier(error)
    this.#ticket = undefined
    const problem = isGone ? "It may have been deleted." : wordsFor(error)
    // The focus may be on a button of the same problem.
    if (problem === this.#problem) return
    this.#problem = problem
    const again = button({ class: "secondary" }, () => this.loadAgain(), "Try again")
    const back = element("a", { class: "secondary", href: "#/" }, "Back to the inbox")
    this.view.replaceChildren(
      isGone
        ? emptyState("alert", "Ticket not found", problem, back)
        : emptyState("alert", "Could not load the ticket", problem, again, back)
    )
    if (isGone) this.#onGone()
  }

  #showEarlier() {
    if (this.#conversation.isMoreAsked) return
    this.#conversation.askForMore()
    this.render()
    this.turns.anew()
  }

  /** Tells a reader who asked for earlier messages that they did not load, and allows another try. */
  #giveUpEarlier(error: unknown) {
    if (!this.#conversation.isMoreAsked) return
    this.#conversation.giveUpMore()
    toast(wordsFor(error))
    this.render()
  }

  /** Called when the ticket is chosen again. */
  loadAgain() {
    if (this.#ticket === undefined) this.show(this.#ticketID)
    else this.turns.now()
  }

  noteTyping(typing: Typing) {
    if (typing.ticketID === this.#ticketID) this.#talk.showTyping(typing)
  }

  render() {
    const ticket = this.#ticket
    if (ticket === undefined) return
    const last = this.#lastInbound()
    const handlers = {
      files: this.#files,
      explained: this.#side.side === "why" ? this.#explained : undefined,
      onExplain: (messageID: TicketMessageID) => {
        this.#picked = messageID
        this.#side.turnTo("why")
        this.#cover.open()
        void this.#trace.show(this.#explained)
      },
      onTopics: (message: TicketMessage) => void this.#correctTopics(message)
    }
    const { earlier: count, isMoreAsked, messages } = this.#conversation
    const earlier = { count, isAsked: isMoreAsked, onAsk: () => this.#showEarlier() }
    this.#talk.show(messages, earlier, handlers, () => {
      this.#header.update(ticket, {
        onEscalate: last && (() => this.#escalate(ticket, last)),
        onAbout: () => (this.#cover.isOpen ? this.#cover.close() : this.#cover.open()),
        isAboutOpen: this.#cover.isOpen
      })
      this.reply.update(ticket, messages)
      this.#details.update(ticket)
      this.#side.render()
    })
  }

  #build() {
    this.#problem = undefined
    this.view.replaceChildren(
      this.#header.view,
      element("div", { class: "ticket-body" }, this.#talk.view, this.#side.view)
    )
  }

  /** Moves the focus to the chosen ticket, unless the person has begun to write elsewhere meanwhile. */
  #begin() {
    this.#talk.begin()
    const at = document.activeElement
    if (at === null || at === document.body || at.closest(".tickets, .ticket") !== null) this.#header.focus()
  }

  #lastInbound() {
    return this.#conversation.messages.findLast(({ senderType }) => senderType === "EndUser")
  }

  /** The message that a person asked about, or else the customer's newest. */
  get #explained() {
    return this.#picked ?? this.#lastInbound()?.messageID
  }

  #escalate(ticket: Ticket, message: TicketMessage) {
    askToEscalate(this.#client, ticket, message, () => {
      toast("Ticket escalated.")
      // The button disappears, as there is nothing left to escalate.
      if (ticket.ticketID === this.#ticketID) this.#header.focus()
      this.#reload()
    })
  }

  async #correctTopics(message: TicketMessage) {
    try {
      const topics = await loadTopics(this.#client)
      const ticket = this.#ticket
      if (ticket === undefined || message.ticketID !== ticket.ticketID) return
      askForTopics(this.#client, ticket, message, topics, () => {
        toast("Topics saved.")
        this.#reload()
      })
    } catch (error) {
      toast(wordsFor(error))
    }
  }
}
