import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import { element } from "../dom/Element.ts"
import { toast } from "./Toast.ts"
import type { Unsent, UnsentTexts } from "./Unsent.ts"

/** What stands in the field, and what the person has made of it, if anything. */
interface Written {
  readonly text: string
  readonly filled: string
  readonly unsent: Unsent | undefined
}

/** The field of the answer: the draft to begin with, what the person makes of it in the end. */
export class Writing {
  readonly field = element("textarea", { rows: 3, id: "answer", dir: "auto" })
  #ticketID: TicketID | undefined
  /** What was filled in by itself; as long as it is untouched, a newer draft may take its place. */
  #filled = ""
  /** Whether the focus comes to the field by itself, which is no beginning of an answer. */
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

  /** The newest draft takes the place of what was filled in, not of what was written. */
  update(ticketID: TicketID, draft: string, isAnswered: boolean) {
    const isOther = !this.isOpen(ticketID)
    const unsent = this.#unsent.get(ticketID)
    this.#ticketID = ticketID
    if (isOther) {
      this.field.value = unsent?.text ?? draft
      this.#filled = draft
    } else if (unsent?.isTried === true) {
      // It may not have arrived: until that is known it is not taken away.
    } else if (this.text === this.#filled || (isAnswered && this.isEmpty)) {
      this.#unsent.forget(ticketID)
      this.field.value = draft
      this.#filled = draft
    }
  }

  /** Keeps what stands there, as the answer to a message. */
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

  /** Puts something in the place of what is written. What a person wrote is never gone by one click. */
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

  /** A text is a draft now, as if it had been filled in. */
  keep(ticketID: TicketID, text: string) {
    this.#unsent.forget(ticketID, text)
    if (this.isOpen(ticketID)) this.#filled = text
  }

  /** A text is done with: what was written since then stays, and so does what stands on another ticket. */
  empty(ticketID: TicketID, text: string) {
    this.#unsent.forget(ticketID, text)
    if (!this.isOpen(ticketID)) return
    if (this.text === text) this.field.value = ""
    this.#filled = ""
  }

  /** What comes next is written. */
  place() {
    this.#isPlacing = true
    this.field.focus({ preventScroll: true })
    this.#isPlacing = false
  }

  /** As high as the text; how high at most, the styles say. */
  fit() {
    this.field.style.blockSize = "auto"
    this.field.style.blockSize = `${this.field.scrollHeight + 2}px`
  }
}
