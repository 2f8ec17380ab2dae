import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"

type Side = "details" | "why"

const names = { details: "Details", why: "Activity" } satisfies Readonly<Record<Side, string>>

/** The area beside the conversation: one of two panels, under tabs. */
export class SidePanel {
  readonly view = element("aside", { class: "side", id: "about-ticket", "aria-label": "Ticket details" })
  #side: Side = "details"
  readonly #panels: Readonly<Record<Side, HTMLElement>>
  readonly #onTurn: () => void
  readonly #onClose: () => void

  constructor(
    panels: Readonly<Record<Side, HTMLElement>>,
    { onClose, onTurn }: { readonly onTurn: () => void; readonly onClose: () => void }
  ) {
    this.#panels = panels
    this.#onTurn = onTurn
    this.#onClose = onClose
    listen(this.view, {
      keydown: ({ key, target }) => {
        if (key === "Escape") onClose()
        const isTab = target instanceof Element && target.matches("[role=tab]")
        if (isTab && (key === "ArrowLeft" || key === "ArrowRight")) this.#open(this.#side === "why" ? "details" : "why")
      }
    })
  }

  focus() {
    this.view.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
  }

  get side() {
    return this.#side
  }

  turnTo(side: Side) {
    this.#side = side
    this.#onTurn()
  }

  render() {
    const panel = this.#panels[this.#side]
    if (this.view.dataset["side"] === this.#side && this.view.contains(panel)) return
    this.view.dataset["side"] = this.#side
    const close = button({ class: "icon-button side-close", "aria-label": "Close" }, this.#onClose, icon(icons.close))
    const tabs = { class: "tabs", role: "tablist", "aria-label": "Ticket details" }
    const labelled = { id: "side-panel", role: "tabpanel", "aria-labelledby": `tab-${this.#side}` }
    this.view.replaceChildren(
      element("div", { class: "side-head" }, element("div", tabs, this.#tab("details"), this.#tab("why")), close),
      element("div", { class: "side-panel", ...labelled }, panel)
    )
  }

  #open(side: Side) {
    this.turnTo(side)
    document.getElementById(`tab-${side}`)?.focus()
  }

  #tab(side: Side) {
    return button(
      {
        class: "tab",
        role: "tab",
        id: `tab-${side}`,
        "aria-selected": String(side === this.#side),
        "aria-controls": "side-panel"
      },
      () => this.#open(side),
      names[side]
    )
  }
}
