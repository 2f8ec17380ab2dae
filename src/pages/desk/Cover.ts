/** Must match the style sheet. */
const narrow = matchMedia("(max-width: 1240px)")
const phone = matchMedia("(max-width: 760px)")

const aside = "about the ticket"

interface Parts {
  readonly pane: HTMLElement
  readonly talk: HTMLElement
  readonly side: { readonly view: HTMLElement; focus(): void }
  readonly header: { focusAbout(): void }
  /** Called when the panel opens or closes. */
  readonly onChange: () => void
}

/** Where there is no room beside the conversation, the panel about the ticket covers it and takes the focus. */
export class Cover {
  /** Where the focus was when the panel opened; undefined while it is closed. */
  #openedFrom: Element | null | undefined
  readonly #parts: Parts

  constructor(parts: Parts, signal: AbortSignal) {
    this.#parts = parts
    // With room for both, the panel covers nothing.
    narrow.addEventListener("change", () => this.hide(), { signal })
    addEventListener("popstate", () => this.hide(), { signal })
  }

  get isOpen() {
    return this.#openedFrom !== undefined
  }

  open() {
    if (!narrow.matches || this.isOpen) return
    const { onChange, pane, side, talk } = this.#parts
    this.#openedFrom = document.activeElement
    pane.classList.add("side-open")
    talk.inert = true
    // On a phone the panel looks like a page of its own, so going back in the browser leads to the ticket.
    if (phone.matches) history.pushState(aside, "")
    onChange()
    side.focus()
  }

  close() {
    const from = this.#openedFrom
    this.hide()
    if (history.state === aside) history.back()
    if (from instanceof HTMLElement) from.focus()
    if (document.activeElement !== from || from === document.body) this.#parts.header.focusAbout()
  }

  hide() {
    if (!this.isOpen) return
    const { header, onChange, pane, side, talk } = this.#parts
    const hadFocus = side.view.contains(document.activeElement)
    this.#openedFrom = undefined
    pane.classList.remove("side-open")
    talk.inert = false
    onChange()
    if (hadFocus) header.focusAbout()
  }
}
