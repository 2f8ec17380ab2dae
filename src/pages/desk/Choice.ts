import { element, listen } from "../dom/Element.ts"

export interface ChoiceOption {
  readonly value: string
  readonly name: string
}

const valueOf = ({ target }: Event) => (target instanceof HTMLSelectElement ? target.value : "")

/** A list to choose from. It stays the same element, and so keeps the focus, as long as its options stay the same. */
export class Choice {
  #node = element("select")
  #looks = ""
  #onChoose: (value: string) => void = () => undefined
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  /** Shows the value that holds; a choice that was made but not accepted is undone. */
  show(options: ReadonlyArray<ChoiceOption>, value: string, onChoose: (value: string) => void) {
    this.#onChoose = onChoose
    const looks = JSON.stringify(options)
    if (this.#looks !== looks) {
      this.#looks = looks
      this.#node = listen(
        element(
          "select",
          { "aria-label": this.#name },
          ...options.map((option) => element("option", { value: option.value }, option.name))
        ),
        { change: (event) => this.#onChoose(valueOf(event)) }
      )
    }
    this.#node.value = value
    return { looks, node: this.#node }
  }
}
