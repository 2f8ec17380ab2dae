import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, icon, listen, say } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { AnswerFiles } from "./AnswerFiles.ts"
import { originOf } from "./AnswerOrigin.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import type { Live } from "./Live.ts"
import type { MessageFiles } from "./MessageFiles.ts"
import { answeredBy, closeUnlessAsked, recipientOf, sendWithFiles, unanswered } from "./SendAnswer.ts"
import { Tasks } from "./Tasks.ts"
import type { TicketCommands } from "./TicketCommands.ts"
import { toast } from "./Toast.ts"
import type { UnsentTexts } from "./Unsent.ts"
import { Writing } from "./Writing.ts"

const sendKey = /^(?:Mac|iP)/.test(navigator.platform) ? "⌘" : "Ctrl"

/** Where the answer is written: first the AI's draft, in the end what the person makes of it. */
export class Reply {
  readonly view: HTMLFormElement
  readonly tasks = new Tasks(() => this.#render())
  #ticket: Ticket | undefined
  #messages: ReadonlyArray<TicketMessage> = []
  #target: TicketMessage | undefined
  readonly #origin = element("p", { class: "origin" })
  readonly #recipient = element("p", { class: "recipient", dir: "auto" })
  readonly #writing: Writing
  readonly #send = element("button", { class: "primary", type: "submit" }, icon(icons.send), "Send")
  readonly #sendAndClose = element("button", { class: "secondary", type: "submit" }, "Send and close")
  readonly #save = button({ class: "secondary" }, () => void this.#keep(), "Save draft")
  readonly #discard = button({ class: "quiet" }, () => void this.#clear(), "Discard draft")
  readonly #newer = button({ class: "chip action", hidden: true }, () => this.#takeDraft(), "Use new draft")
  readonly #answered = element("p", { class: "answered", role: "alert", hidden: true })
  readonly #problem = element("p", { class: "problem", role: "alert", hidden: true })
  readonly #files: AnswerFiles
  readonly #client: Client
  readonly #live: Live
  readonly #unsent: UnsentTexts
  readonly #commands: TicketCommands
  readonly #onSent: () => void

  constructor(
    client: Client,
    live: Live,
    unsent: UnsentTexts,
    files: MessageFiles,
    commands: TicketCommands,
    onSent: () => void
  ) {
    this.#commands = commands
    this.#files = new AnswerFiles(client, unsent.customerRepID, files, {
      onChange: (ticketID) => {
        unsent.change(ticketID)
        this.#render()
      },
      onLeft: () => this.#writing.place()
    })
    this.#client = client
    this.#live = live
    this.#unsent = unsent
    this.#onSent = onSent
    this.#writing = new Writing(unsent, { onBegin: () => this.#joinChat(), onChange: () => this.#render() })
    listen(this.#writing.field, {
      input: () => this.#typed(),
      keydown: (event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return
        event.preventDefault()
        this.view.requestSubmit()
      }
    })
    this.view = listen(
      element(
        "form",
        { class: "reply", "aria-label": "Reply" },
        element("div", { class: "reply-head" }, this.#origin, this.#recipient, this.#newer),
        element("label", { class: "unseen", for: "answer" }, "Your reply"),
        this.#writing.field,
        this.#files.view,
        this.#answered,
        this.#problem,
        element(
          "div",
          { class: "reply-foot" },
          this.#files.attach,
          element("p", { class: "hint" }, element("kbd", {}, sendKey), " ", element("kbd", {}, "Enter"), " to send"),
          this.#discard,
          this.#save,
          element("span", { class: "sending" }, this.#sendAndClose, this.#send)
        )
      ),
      {
        submit: (event) => {
          event.preventDefault()
          void this.#submit(event.submitter === this.#sendAndClose)
        }
      }
    )
  }

  update(ticket: Ticket, messages: ReadonlyArray<TicketMessage>) {
    const target = unanswered(messages)
    const isSame = ticket.ticketID === this.#ticket?.ticketID
    const isAnswered = isSame && this.#target !== undefined && target?.messageID !== this.#target.messageID
    this.#ticket = ticket
    this.#messages = messages
    this.#target = target
    this.#writing.update(ticket.ticketID, target?.aiReply ?? "", isAnswered)
    this.#render()
  }

  #typed() {
    const { ticketID } = this.#ticket ?? {}
    if (ticketID === undefined) return
    this.#writing.note(ticketID, this.#target?.messageID ?? null)
    this.#render()
    if (this.#ticket?.channelType === "Chat") {
      this.#joinChat()
      this.#live.typing(ticketID)
    }
  }

  /** Starting to answer a chat joins it, so the visitor sees who is there. */
  #joinChat() {
    if (this.#ticket?.channelType === "Chat" && !this.#ticket.isClosed) this.#live.join(this.#ticket.ticketID)
  }

  #takeDraft() {
    const { ticketID } = this.#ticket ?? {}
    const draft = this.#target?.aiReply ?? ""
    if (ticketID === undefined) return
    this.#writing.exchange(ticketID, { text: draft, filled: draft, unsent: undefined })
    this.#typed()
    this.#writing.field.focus()
  }

  get #isBusy() {
    return this.#ticket !== undefined && this.tasks.isBusy(this.#ticket.ticketID)
  }

  /** Who has answered while this answer was being written. */
  get #answerer() {
    if (this.#ticket === undefined || this.#isBusy) return undefined
    return answeredBy(this.#messages, this.#unsent.get(this.#ticket.ticketID))
  }

  #render() {
    const draft = this.#target?.aiReply ?? ""
    const answerer = this.#answerer
    const problem = this.#ticket && this.tasks.problemOf(this.#ticket.ticketID)
    const { filled, isEmpty, text } = this.#writing
    const isDraft = draft !== "" && text === draft
    const isEdited = draft !== "" && text !== draft && filled === draft && !isEmpty
    this.view.classList.toggle("drafted", isDraft || isEdited)
    const origin = isDraft ? "draft" : isEdited ? "edited draft" : this.#target === undefined ? "message" : "answer"
    if (this.#origin.dataset["origin"] !== origin) this.#origin.replaceChildren(...originOf(origin))
    this.#origin.dataset["origin"] = origin
    if (this.#ticket !== undefined) this.#files.update(this.#ticket, this.#target, this.#isBusy)
    const recipient = this.#ticket && recipientOf(this.#ticket, this.#target)
    say(this.#recipient, recipient && `To ${recipient}`)
    this.#recipient.title = recipient ?? ""
    this.#newer.hidden = draft === "" || draft === text || draft === filled
    this.#save.hidden = this.#target === undefined || isEmpty || text === draft
    this.#discard.hidden = draft === ""
    // With the disabled attribute a button would lose the focus; the handlers check whether they may run.
    for (const one of [this.#save, this.#discard]) one.setAttribute("aria-disabled", String(this.#isBusy))
    this.#sendAndClose.hidden = this.#ticket?.isClosed === true
    for (const one of [this.#send, this.#sendAndClose]) {
      one.setAttribute("aria-disabled", String(this.#isBusy || isEmpty))
    }
    say(this.#answered, answerer && `${answerer} has already replied. Send yours as well?`)
    say(this.#problem, problem)
    this.#writing.field.placeholder =
      this.#target?.status === "Processing" ? "AI is writing a draft. You can start typing." : "Write a reply…"
    this.#writing.fit()
  }

  async #submit(closes: boolean) {
    const ticket = this.#ticket
    const { text } = this.#writing
    const target = this.#target?.messageID ?? null
    if (ticket === undefined || this.#writing.isEmpty || this.#isBusy) return
    const { ticketID } = ticket
    if (this.#answerer !== undefined) {
      this.#unsent.turnTo(ticketID, target)
      toast("Press Send again to send it as well.")
      return this.#render()
    }
    const begun = this.#unsent.begin(ticketID, text, target)
    const seen = this.#messages
    const isSent = await this.#guarded(ticketID, async () => {
      await sendWithFiles(this.#client, this.#unsent, this.#files.chosen, ticketID, begun)
      this.#unsent.turnTo(ticketID, null)
      this.#writing.empty(ticketID, text)
      toast("Sent.")
    })
    if (isSent && closes) await closeUnlessAsked(this.#client, this.#commands, ticket, seen)
  }

  async #keep() {
    const target = this.#target
    const { text } = this.#writing
    if (target === undefined || this.#isBusy) return
    await this.#guarded(target.ticketID, async () => {
      await this.#write(target, text)
      this.#writing.keep(target.ticketID, text)
      toast("Draft saved. Your team can see it.")
    })
  }

  async #clear() {
    const target = this.#target
    const { text } = this.#writing
    if (target === undefined || this.#isBusy) return
    const before = this.#writing.written(target.ticketID)
    const undo = () => {
      // Untouched text comes back with the draft.
      if (before.unsent !== undefined) this.#writing.exchange(target.ticketID, before)
      return this.#write(target, target.aiReply)
        .catch((error: unknown) => toast(wordsFor(error)))
        .finally(this.#onSent)
    }
    await this.#guarded(target.ticketID, async () => {
      await this.#write(target, null)
      this.#writing.empty(target.ticketID, text)
      toast("Draft discarded.", { name: "Undo", run: () => void undo() })
    })
  }

  async #write({ messageID }: TicketMessage, aiReply: string | null) {
    await run(this.#client.ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply } }))
  }

  /** Returns whether it was done. */
  async #guarded(ticketID: TicketID, work: () => Promise<void>) {
    const isDone = await this.tasks.run(ticketID, async () => {
      await work()
      if (this.#writing.isOpen(ticketID)) this.#focusField()
    })
    this.#onSent()
    return isDone
  }

  /** The pressed button is about to disappear or has nothing left to do, so the focus moves to the field. */
  #focusField() {
    const at = document.activeElement
    if ([this.#save, this.#discard, this.#send, this.#sendAndClose].some((one) => one === at)) this.#writing.place()
  }
}
