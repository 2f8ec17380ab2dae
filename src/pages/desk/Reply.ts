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
import { answeredBy, sendWithFiles, unanswered } from "./SendAnswer.ts"
import { toast } from "./Toast.ts"
import type { UnsentTexts } from "./Unsent.ts"
import { Writing } from "./Writing.ts"

const sendKey = /^(?:Mac|iP)/.test(navigator.platform) ? "⌘" : "Ctrl"

/** Where the answer is written: first the AI's draft, in the end what the person makes of it. */
export class Reply {
  readonly view: HTMLFormElement
  #ticket: Ticket | undefined
  #messages: ReadonlyArray<TicketMessage> = []
  #target: TicketMessage | undefined
  readonly #busy = new Set<TicketID>()
  readonly #problems = new Map<TicketID, string>()
  readonly #origin = element("p", { class: "origin" })
  readonly #writing: Writing
  readonly #send = element("button", { class: "primary", type: "submit" }, icon(icons.send), "Send")
  readonly #save = button({ class: "secondary" }, () => void this.#keep(), "Save draft")
  readonly #discard = button({ class: "quiet" }, () => void this.#clear(), "Discard draft")
  readonly #newer = button({ class: "chip action", hidden: true }, () => this.#takeDraft(), "Use new draft")
  readonly #answered = element("p", { class: "answered", role: "alert", hidden: true })
  readonly #problem = element("p", { class: "problem", role: "alert", hidden: true })
  readonly #files: AnswerFiles
  readonly #client: Client
  readonly #live: Live
  readonly #unsent: UnsentTexts
  readonly #onSent: () => void

  constructor(client: Client, live: Live, unsent: UnsentTexts, files: MessageFiles, onSent: () => void) {
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
        element("div", { class: "reply-head" }, this.#origin, this.#newer),
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
          this.#send
        )
      ),
      {
        submit: (event) => {
          event.preventDefault()
          void this.#submit()
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
    return this.#ticket !== undefined && this.#busy.has(this.#ticket.ticketID)
  }

  /** Who has answered while this answer was being written. */
  get #answerer() {
    if (this.#ticket === undefined || this.#isBusy) return undefined
    return answeredBy(this.#messages, this.#unsent.get(this.#ticket.ticketID))
  }

  #render() {
    const draft = this.#target?.aiReply ?? ""
    const answerer = this.#answerer
    const problem = this.#ticket && this.#problems.get(this.#ticket.ticketID)
    const { filled, isEmpty, text } = this.#writing
    const isDraft = draft !== "" && text === draft
    const isEdited = draft !== "" && text !== draft && filled === draft && !isEmpty
    this.view.classList.toggle("drafted", isDraft || isEdited)
    const origin = isDraft ? "draft" : isEdited ? "edited draft" : this.#target === undefined ? "message" : "answer"
    if (this.#origin.dataset["origin"] !== origin) this.#origin.replaceChildren(...originOf(origin))
    this.#origin.dataset["origin"] = origin
    if (this.#ticket !== undefined) this.#files.update(this.#ticket, this.#target, this.#isBusy)
    this.#newer.hidden = draft === "" || draft === text || draft === filled
    this.#save.hidden = this.#target === undefined || isEmpty || text === draft
    this.#discard.hidden = draft === ""
    // With the disabled attribute a button would lose the focus; the handlers check whether they may run.
    for (const one of [this.#save, this.#discard]) one.setAttribute("aria-disabled", String(this.#isBusy))
    this.#send.setAttribute("aria-disabled", String(this.#isBusy || isEmpty))
    say(this.#answered, answerer && `${answerer} has already replied. Send yours as well?`)
    say(this.#problem, problem)
    this.#writing.field.placeholder =
      this.#target?.status === "Processing" ? "AI is writing a draft. You can start typing." : "Write a reply…"
    this.#writing.fit()
  }

  async #submit() {
    const { ticketID } = this.#ticket ?? {}
    const { text } = this.#writing
    const target = this.#target?.messageID ?? null
    if (ticketID === undefined || this.#writing.isEmpty || this.#isBusy) return
    if (this.#answerer !== undefined) {
      this.#unsent.turnTo(ticketID, target)
      toast("Press Send again to send it as well.")
      return this.#render()
    }
    const begun = this.#unsent.begin(ticketID, text, target)
    await this.#guarded(ticketID, async () => {
      await sendWithFiles(this.#client, this.#unsent, this.#files.chosen, ticketID, begun)
      this.#unsent.turnTo(ticketID, null)
      this.#writing.empty(ticketID, text)
      toast("Sent.")
    })
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

  async #guarded(ticketID: TicketID, work: () => Promise<void>) {
    this.#problems.delete(ticketID)
    this.#busy.add(ticketID)
    this.#render()
    try {
      await work()
      if (this.#writing.isOpen(ticketID)) this.#focusField()
    } catch (error) {
      this.#problems.set(ticketID, wordsFor(error))
    }
    this.#busy.delete(ticketID)
    this.#render()
    this.#onSent()
  }

  /** The pressed button is about to disappear or has nothing left to do, so the focus moves to the field. */
  #focusField() {
    const at = document.activeElement
    if (at === this.#save || at === this.#discard || at === this.#send) this.#writing.place()
  }
}
