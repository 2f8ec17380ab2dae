import { button, element } from "../dom/Element.ts"

const region = element("div", { class: "toasts", role: "status", "aria-live": "polite" })

export const toastRegion = region

/** Says what happened, for a few seconds; what can be taken back has a button for it. */
export const toast = (text: string, undo?: { readonly name: string; readonly run: () => void }) => {
  const remove = () => note.remove()
  const note = element(
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
  )
  region.replaceChildren(note)
  setTimeout(remove, undo === undefined ? 4000 : 8000)
}
