import { button, element, listen } from "../dom/Element.ts"

const region = element("div", { class: "toasts", role: "status", "aria-live": "polite" })

export const toastRegion = region

/** A toast under the pointer or with the focus is still in use. */
const isInUse = (note: Element) => note.matches(":hover, :focus-within")

/** Says what happened, for a few seconds, with a button if it can be undone. */
export const toast = (text: string, undo?: { readonly name: string; readonly run: () => void }) => {
  let cameFrom: EventTarget | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const remove = () => {
    const hadFocus = note.contains(document.activeElement)
    note.remove()
    if (hadFocus) focusAgain(cameFrom)
  }
  const note = listen(
    element(
      "div",
      { class: "toast" },
      element("span", {}, text),
      undo !== undefined &&
        button(
          {},
          () => {
            remove()
            undo.run()
          },
          undo.name
        )
    ),
    {
      focusin: ({ relatedTarget }) => (cameFrom = relatedTarget),
      focusout: () => stay(),
      mouseleave: () => stay()
    }
  )
  const stay = () => {
    clearTimeout(timer)
    timer = setTimeout(() => isInUse(note) || remove(), undo === undefined ? 4000 : 8000)
  }
  for (const before of [...region.children]) if (!isInUse(before)) before.remove()
  region.append(note)
  stay()
}

/** Moves the focus back to where it was, or to the top of what is shown. */
const focusAgain = (before: EventTarget | null) => {
  if (before instanceof HTMLElement) before.focus()
  if (document.activeElement !== before) document.querySelector<HTMLElement>(".ticket h1, .tabs button")?.focus()
}
