import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import type { Live } from "./Live.ts"
import { toast } from "./Toast.ts"

/** What an answer would be to: the last thing that the customer said and nobody answered. */
const unanswered = (messages: ReadonlyArray<TicketMessage>) => {
  const last = messages.findLast(({ senderType }) => senderType === "EndUser")
  return last?.status === "Replied" ? undefined : last
}

/** Where the answer is written: the AI's draft to begin with, what the person makes of it in the end. */
export class Reply {
  readonly view: HTMLFormElement
  #ticket: Ticket | undefined
  #target: TicketMessage | undefined
  /** What was filled in by itself; as long as it is untouched, a newer draft may take its place. */
  #filled = ""
  readonly #unsent = new Map<TicketID, string>()
  readonly #origin = element("p", { class: "origin" })
  readonly #input = element("textarea", { rows: 3, id: "answer", dir: "auto" })
  readonly #send = element("button", { class: "primary", type: "submit" }, icon(icons.send), "Send")
  readonly #save = button({ class: "secondary" }, () => void this.#keep(), "Save draft")
  readonly #discard = button({ class: "quiet" }, () => void this.#clear(), "Discard draft")
  readonly #newer = button(
    { class: "chip action", hidden: true },
    () => this.#takeDraft(),
    "A new draft is ready: use it"
  )
  readonly #problem = element("p", { class: "problem", role: "alert", hidden: true })
  readonly #client: Client
  readonly #live: Live
  readonly #onSent: () => void

  constructor(client: Client, live: Live, onSent: () => void) {
    this.#client = client
    this.#live = live
    this.#onSent = onSent
    listen(this.#input, {
      input: () => this.#typed(),
      keydown: (event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return
        event.preventDefault()
        this.view.requestSubmit()
      }
    })
    this.#input.addEventListener("focus", () => this.#joinChat())
    this.view = listen(
      element(
        "form",
        { class: "reply", "aria-label": "Answer" },
        element("div", { class: "reply-head" }, this.#origin, this.#newer),
        element("label", { class: "unseen", for: "answer" }, "Your answer"),
        this.#input,
        this.#problem,
        element(
          "div",
          { class: "reply-foot" },
          element("p", { class: "hint" }, element("kbd", {}, "Ctrl"), " ", element("kbd", {}, "Enter"), " sends"),
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
    const isOther = ticket.ticketID !== this.#ticket?.ticketID
    const target = unanswered(messages)
    const isAnswered = !isOther && this.#target !== undefined && target?.messageID !== this.#target.messageID
    this.#ticket = ticket
    this.#target = target
    const draft = target?.aiReply ?? ""
    if (isOther) {
      this.#problem.hidden = true
      this.#input.value = this.#unsent.get(ticket.ticketID) ?? draft
      this.#filled = draft
    } else if (this.#input.value === this.#filled || (isAnswered && this.#input.value.trim() === "")) {
      this.#input.value = draft
      this.#filled = draft
    }
    this.#render()
  }

  #typed() {
    const { ticketID } = this.#ticket ?? {}
    if (ticketID === undefined) return
    this.#unsent.set(ticketID, this.#input.value)
    this.#render()
    if (this.#ticket?.channelType === "Chat") {
      this.#joinChat()
      this.#live.typing(ticketID)
    }
  }

  /** Whoever begins to answer a chat is in it: the visitor sees who. */
  #joinChat() {
    if (this.#ticket?.channelType === "Chat" && !this.#ticket.isClosed) this.#live.join(this.#ticket.ticketID)
  }

  #takeDraft() {
    this.#filled = this.#target?.aiReply ?? ""
    this.#input.value = this.#filled
    this.#typed()
    this.#input.focus()
  }

  #render() {
    const draft = this.#target?.aiReply ?? ""
    const text = this.#input.value
    const isDraft = draft !== "" && text === draft
    const isEdited = draft !== "" && text !== draft && this.#filled === draft && text.trim() !== ""
    this.view.classList.toggle("drafted", isDraft || isEdited)
    this.#origin.replaceChildren(
      ...(isDraft || isEdited
        ? [
            icon(icons.spark),
            element("strong", {}, isDraft ? "AI draft" : "AI draft, edited"),
            isDraft ? " Check it before it goes out." : ""
          ]
        : [this.#target === undefined ? "Write to the customer" : "Your answer"])
    )
    this.#newer.hidden = draft === "" || draft === text || draft === this.#filled
    this.#save.hidden = this.#target === undefined || text.trim() === "" || text === draft
    this.#discard.hidden = draft === ""
    this.#send.disabled = text.trim() === ""
    this.#input.placeholder =
      this.#target?.status === "Processing" ? "A draft is being written. You may begin." : "Write an answer"
    this.#input.style.blockSize = "auto"
    this.#input.style.blockSize = `${Math.max(76, Math.min(280, this.#input.scrollHeight + 2))}px`
  }

  async #submit() {
    const ticket = this.#ticket
    const text = this.#input.value.trim()
    if (ticket === undefined || text === "" || this.#send.disabled) return
    await this.#guarded(async () => {
      await (this.#target === undefined
        ? run(
            this.#client.ticketMessagesOnPhone.createTicketMessage({
              payload: { ticketID: ticket.ticketID, senderType: "CustomerRep", message: text }
            })
          )
        : run(
            this.#client.ticketMessages.sendReply({
              path: { id: this.#target.messageID },
              payload: { modifiedAnswer: text }
            })
          ))
      this.#unsent.delete(ticket.ticketID)
      if (this.#ticket?.ticketID === ticket.ticketID) {
        this.#input.value = ""
        this.#filled = ""
      }
      toast("Sent.")
    })
  }

  async #keep() {
    const target = this.#target
    const text = this.#input.value
    if (target === undefined) return
    await this.#guarded(async () => {
      await this.#write(target, text)
      this.#filled = text
      toast("Draft saved. Colleagues see it, too.")
    })
  }

  async #clear() {
    const target = this.#target
    if (target === undefined) return
    const before = target.aiReply
    await this.#guarded(async () => {
      await this.#write(target, null)
      this.#input.value = ""
      this.#filled = ""
      toast("Draft discarded.", {
        name: "Undo",
        run: () => void this.#guarded(() => this.#write(target, before))
      })
    })
  }

  async #write(target: TicketMessage, aiReply: string | null) {
    if (this.#ticket !== undefined) this.#unsent.delete(this.#ticket.ticketID)
    await run(this.#client.ticketMessages.updateTicketMessage({ path: { id: target.messageID }, payload: { aiReply } }))
  }

  async #guarded(work: () => Promise<void>) {
    this.#problem.hidden = true
    this.#send.disabled = true
    try {
      await work()
    } catch (error) {
      this.#problem.textContent = wordsFor(error)
      this.#problem.hidden = false
    }
    this.#render()
    this.#onSent()
  }
}
