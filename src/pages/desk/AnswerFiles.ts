import type { TicketID } from "../../../schema/Ids.ts"
import type { TicketMessageAttachment } from "../../../schema/TicketMessageAttachments.ts"
import type { TicketMessage } from "../../../schema/TicketMessages.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed } from "../dom/Keyed.ts"
import { ChosenFiles, refusalOf } from "./ChosenFiles.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { fileCard, fileName, removeButton } from "./FileCard.ts"
import { kindOf, sizeOf } from "./FileWords.ts"
import type { MessageFiles } from "./MessageFiles.ts"
import { toast } from "./Toast.ts"

interface AnswerFilesHandlers {
  readonly onChange: (ticketID: TicketID) => void
  /** Called when the file that had the focus is gone and no other file control can take the focus. */
  readonly onLeft: () => void
}

/** The files of an answer: those chosen here, and those that the service already has for it. */
export class AnswerFiles {
  readonly view = element("ul", { class: "files", "aria-label": "Attached files", hidden: true })
  readonly attach: HTMLElement
  readonly chosen: ChosenFiles
  #ticket: Ticket | undefined
  #target: TicketMessage | undefined
  readonly #show = makeKeyed(this.view)
  readonly #input = element("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to attach" })
  readonly #button = button(
    { class: "icon-button", "aria-label": "Attach files", title: "Attach files" },
    () => this.#input.click(),
    icon(icons.attach)
  )
  readonly #client: Client
  readonly #files: MessageFiles
  readonly #handlers: AnswerFilesHandlers

  constructor(client: Client, customerRepID: number, files: MessageFiles, handlers: AnswerFilesHandlers) {
    this.#client = client
    this.#files = files
    this.#handlers = handlers
    this.chosen = new ChosenFiles(client, customerRepID)
    this.attach = element("span", { class: "attach" }, this.#button, this.#input)
    listen(this.#input, { change: () => this.#take() })
  }

  update(ticket: Ticket, target: TicketMessage | undefined, isBusy: boolean) {
    this.#ticket = ticket
    this.#target = target
    // Mail can carry files. The phone cannot, and the visitor of a chat has no way to open them.
    this.attach.hidden = ticket.channelType !== "Email" || target === undefined
    this.#button.disabled = isBusy
    const chosen = this.chosen.of(ticket.ticketID)
    const ours = new Set(chosen.map(({ uploaded }) => uploaded?.id))
    const there = target === undefined ? [] : this.#files.forAnswerTo(target.messageID)
    const others = there.filter(({ ticketMessageAttachmentID }) => !ours.has(ticketMessageAttachmentID))
    const place = [...this.view.children].findIndex((card) => card.contains(document.activeElement))
    this.#show([
      ...others.map((file) => ({
        key: `there-${file.ticketMessageAttachmentID}`,
        looks: "",
        make: () => fileCard(this.#client, file, () => void this.#removeThere(ticket.ticketID, file))
      })),
      ...chosen.map((one) => ({
        key: one.key,
        looks: String(one.uploaded?.id),
        make: () => this.#card(one.file, () => void this.#remove(ticket.ticketID, one.key))
      }))
    ])
    this.view.hidden = this.view.childElementCount === 0
    this.view.inert = isBusy
    if (place >= 0 && !this.view.contains(document.activeElement)) this.#focusAfter(place)
  }

  /** The file that had the focus is gone, so the focus moves to the one that is now in its place. */
  #focusAfter(place: number) {
    const next = [...(this.view.children[place]?.querySelectorAll("button") ?? [])].at(-1)
    if (next !== undefined) next.focus({ preventScroll: true })
    else if (this.attach.hidden) this.#handlers.onLeft()
    else this.#button.focus({ preventScroll: true })
  }

  #card(file: File, onRemove: () => void) {
    const about = element("span", { class: "file-kind" }, `${kindOf(file.type || "file")}, ${sizeOf(file.size)}`)
    return element(
      "li",
      { class: "file" },
      element(
        "div",
        { class: "file-row" },
        icon(icons.file),
        fileName(file.name, about),
        removeButton(file.name, onRemove)
      )
    )
  }

  #take() {
    const { ticketID } = this.#ticket ?? {}
    const files = [...(this.#input.files ?? [])]
    // Allows the same file to be chosen again.
    this.#input.value = ""
    if (ticketID === undefined) return
    const refusals = files.map(refusalOf).filter((refusal) => refusal !== undefined)
    if (refusals.length > 0) toast(refusals.join(" "))
    this.chosen.add(
      ticketID,
      files.filter((file) => refusalOf(file) === undefined)
    )
    this.#handlers.onChange(ticketID)
  }

  async #remove(ticketID: TicketID, key: string) {
    try {
      await this.chosen.remove(ticketID, key)
    } catch (error) {
      toast(wordsFor(error))
    }
    // The service may have had the file as well.
    const there = this.#ticket?.ticketID === ticketID ? this.#target : undefined
    if (there !== undefined && this.#files.forAnswerTo(there.messageID).length > 0)
      await this.#files.ask(there.messageID)
    this.#handlers.onChange(ticketID)
  }

  async #removeThere(ticketID: TicketID, { messageID, ticketMessageAttachmentID }: TicketMessageAttachment) {
    const path = { id: messageID, attachmentId: ticketMessageAttachmentID }
    try {
      await run(this.#client.ticketMessageAttachments.deleteAttachment({ path }))
    } catch (error) {
      toast(wordsFor(error))
    }
    if (this.#target?.messageID === messageID) await this.#files.ask(messageID)
    this.#handlers.onChange(ticketID)
  }
}
