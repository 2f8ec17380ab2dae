import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import { element } from "../dom/Element.ts"
import { toast } from "./Toast.ts"
import type { Unsent, UnsentTexts } from "./Unsent.ts"

/** The text in the field, the text that was filled in, and what the person has made of it, if anything. */
interface Written {
  readonly text: string
  readonly filled: string
  readonly unsent: Unsent | undefined
}

/** The field of the answer: first the draft, in the end what the person makes of it. */
export class Writing {
  readonly field = element("textarea", { rows: 3, id: "answer", dir: "auto" })
  #ticketID: TicketID | undefined
  /** The text that was filled in automatically; while it is untouched, a newer draft may replace it. */
  #filled = ""
  /** Whether the code is moving the focus to the field, which does not count as starting an answer. */
  #isPlacing = false
  readonly #unsent: UnsentTexts
  readonly #onChange: () => void

  constructor(
    unsent: UnsentTexts,
    { onBegin, onChange }: { readonly onBegin: () => void; readonly onChange: () => void }
  ) {
    this.#unsent = unsent
    this.#onChange = onChange
    this.field.addEventListener("focus", () => {
      if (!this.#isPlacing) onBegin()
    })
  }

  get text() {
    return this.field.value
  }

  get isEmpty() {
    return this.text.trim() === ""
  }

  get filled() {
    return this.#filled
  }

  isOpen(ticketID: TicketID) {
    return this.#ticketID === ticketID
  }

  /** The newest draft replaces text that was filled in, not text that was written. */
  update(ticketID: TicketID, draft: string, isAnswered: boolean) {
    const isOther = !this.isOpen(ticketID)
    const unsent = this.#unsent.get(ticketID)
    this.#ticketID = ticketID
    if (isOther) {
      this.field.value = unsent?.text ?? draft
      this.#filled = draft
    } else if (unsent?.isTried === true) {
      // The text may not have arrived: it stays until that is known.
    } else if (this.text === this.#filled || (isAnswered && this.isEmpty)) {
      this.#unsent.forget(ticketID)
      this.field.value = draft
      this.#filled = draft
    }
  }

  /** Keeps the current text as the answer to a message. */
  note(ticketID: TicketID, target: TicketMessageID | null) {
    if (this.text === this.#filled) this.#unsent.forget(ticketID)
    else this.#unsent.note(ticketID, this.text, target)
  }

  written(ticketID: TicketID): Written {
    const unsent = this.#unsent.get(ticketID)
    return this.isOpen(ticketID)
      ? { text: this.text, filled: this.#filled, unsent }
      : { text: unsent?.text ?? "", filled: "", unsent }
  }

  /** Replaces the text. What a person wrote is never lost by one click: a toast offers to undo it. */
  exchange(ticketID: TicketID, next: Written) {
    const before = this.written(ticketID)
    this.#unsent.putBack(ticketID, next.unsent)
    if (this.isOpen(ticketID)) {
      this.#filled = next.filled
      this.field.value = next.text
      this.#onChange()
    }
    if (before.unsent === undefined || before.unsent.text.trim() === "") return
    toast("Your text was replaced.", { name: "Undo", run: () => this.exchange(ticketID, before) })
  }

  /** Treats a text as a draft from now on, as if it had been filled in. */
  keep(ticketID: TicketID, text: string) {
    this.#unsent.forget(ticketID, text)
    if (this.isOpen(ticketID)) this.#filled = text
  }

  /** Clears a text that is done with; text written since then stays, and so does text on another ticket. */
  empty(ticketID: TicketID, text: string) {
    this.#unsent.forget(ticketID, text)
    if (!this.isOpen(ticketID)) return
    if (this.text === text) this.field.value = ""
    this.#filled = ""
  }

  /** Moves the focus to the field for the next text. */
  place() {
    this.#isPlacing = true
    this.field.focus({ preventScroll: true })
    this.#isPlacing = false
  }

  /** As high as the text; the style sheet limits the height. */
  fit() {
    this.field.style.blockSize = "auto"
    this.field.style.blockSize = `${this.field.scrollHeight + 2}px`
  }
}
