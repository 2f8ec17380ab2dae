import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { element } from "../dom/Element.ts"
import { type Client, Problem, run, wordsFor } from "./Client.ts"
import { Details } from "./Details.ts"
import { askForTopics, askToEscalate, loadTopics } from "./Dialogs.ts"
import { emptyState, skeleton } from "./Labels.ts"
import type { Live } from "./Live.ts"
import { renderMessages } from "./Messages.ts"
import type { People } from "./People.ts"
import { Reply } from "./Reply.ts"
import { SidePanel } from "./SidePanel.ts"
import { makeTicketCommands, type TicketCommands } from "./TicketCommands.ts"
import { ticketHeader } from "./TicketHeader.ts"
import { toast } from "./Toast.ts"
import { Trace } from "./Trace.ts"
import type { UnsentTexts } from "./Unsent.ts"

const typingLasts = 6000

/** One ticket: the conversation in the middle, facts and reasons beside it. */
export class TicketPane {
  readonly view = element("section", { class: "ticket", "aria-label": "Ticket" })
  #ticketID: TicketID | undefined
  #ticket: Ticket | undefined
  #messages: ReadonlyArray<TicketMessage> = []
  #earlier = 0
  #asked = 0
  #picked: TicketMessageID | undefined
  #isTyping = false
  #typingEnds: ReturnType<typeof setTimeout> | undefined
  readonly #header = element("header", { class: "ticket-head" })
  readonly #log = element("ol", { class: "messages", "aria-label": "Conversation" })
  readonly #typing = element("p", { class: "typing", role: "status" })
  readonly #scroll = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Conversation" })
  readonly #reply: Reply
  readonly #trace: Trace
  readonly #details: Details
  readonly #side: SidePanel
  readonly #commands: TicketCommands
  readonly #client: Client
  readonly #people: People
  readonly #live: Live
  readonly #onGone: () => void

  constructor(client: Client, people: People, live: Live, unsent: UnsentTexts, onGone: () => void) {
    this.#client = client
    this.#people = people
    this.#live = live
    this.#onGone = onGone
    const reload = () => void this.refresh()
    this.#commands = makeTicketCommands(client, reload)
    this.#reply = new Reply(client, live, unsent, reload)
    this.#trace = new Trace(client)
    this.#details = new Details(client, people, this.#commands)
    this.#side = new SidePanel(
      { why: this.#trace.view, details: this.#details.view },
      { onTurn: () => this.render(), onClose: () => this.view.classList.remove("side-open") }
    )
    this.#scroll.append(this.#log, this.#typing)
    this.show(undefined)
  }

  get ticketID() {
    return this.#ticketID
  }

  show(ticketID: TicketID | undefined) {
    this.#live.leave()
    this.#asked++
    this.#ticketID = ticketID
    this.#ticket = undefined
    this.#messages = []
    this.#picked = undefined
    this.#hideTyping()
    if (ticketID === undefined) {
      const text = "Choose a ticket on the left. New ones arrive by themselves."
      this.view.replaceChildren(emptyState("inbox", "Nothing chosen", text))
      return
    }
    this.view.replaceChildren(skeleton(8))
    void this.refresh()
  }

  /** Asks again for everything that is shown. Only the answer to the newest question counts. */
  async refresh() {
    const ticketID = this.#ticketID
    if (ticketID === undefined) return
    const asked = ++this.#asked
    try {
      const [ticket, messages] = await Promise.all([
        run(this.#client.tickets.getTicket({ path: { id: ticketID } })),
        run(
          this.#client.ticketMessages.listTicketMessages({
            urlParams: { ticketId: ticketID, pageSize: 200, sortBy: "dateCreated", sortOrder: "desc" }
          })
        )
      ])
      if (asked !== this.#asked) return
      const isFirst = this.#ticket === undefined
      this.#ticket = ticket
      this.#messages = messages.items.toReversed()
      this.#earlier = messages.totalCount - messages.items.length
      if (isFirst) this.#build()
      this.render()
      void this.#explain()
    } catch (error) {
      if (asked === this.#asked) this.#showProblem(error)
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
    const { clientHeight, scrollHeight, scrollTop } = this.#scroll
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 120
    const last = this.#lastInbound()
    this.#header.replaceChildren(
      ...ticketHeader(ticket, this.#people, this.#commands, {
        onEscalate: last && (() => this.#escalate(last)),
        onAbout: () => this.#openSide()
      })
    )
    this.#log.replaceChildren(
      ...renderMessages(this.#messages, {
        explained: this.#side.side === "why" ? this.#explained : undefined,
        onExplain: (messageID) => {
          this.#picked = messageID
          this.#openSide()
          this.#side.turnTo("why")
          void this.#explain()
        },
        onTopics: (message) => void this.#correctTopics(message)
      })
    )
    if (this.#earlier > 0) {
      this.#log.prepend(element("li", { class: "day" }, `${this.#earlier} earlier messages are not shown`))
    }
    if (this.#messages.length === 0) this.#log.append(element("li", { class: "day" }, "Nothing was said yet."))
    if (this.#messages.at(-1)?.senderType === "EndUser" && isAtEnd) this.#hideTyping()
    this.#reply.update(ticket, this.#messages)
    this.#details.update(ticket)
    this.#side.render()
    if (isAtEnd) this.#scroll.scrollTop = this.#scroll.scrollHeight
  }

  #build() {
    this.view.replaceChildren(
      this.#header,
      element(
        "div",
        { class: "ticket-body" },
        element("div", { class: "talk" }, this.#scroll, this.#reply.view),
        this.#side.view
      )
    )
    this.view.classList.remove("side-open")
    requestAnimationFrame(() => (this.#scroll.scrollTop = this.#scroll.scrollHeight))
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

  async #explain() {
    await this.#trace.show(this.#explained)
  }

  #escalate(message: TicketMessage) {
    askToEscalate(this.#client, message, () => {
      toast("Escalated.")
      void this.refresh()
    })
  }

  async #correctTopics(message: TicketMessage) {
    try {
      const topics = await loadTopics(this.#client)
      if (message.ticketID !== this.#ticketID) return
      askForTopics(this.#client, message, topics, () => {
        toast("Topics saved.")
        void this.refresh()
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
