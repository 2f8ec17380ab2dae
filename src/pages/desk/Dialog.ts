import { button, element, listen } from "../dom/Element.ts"
import { wordsFor } from "./Client.ts"

/** A question in front of everything else. Escape or Cancel leaves it without a trace. */
export const openDialog = (options: {
  readonly title: string
  readonly content: ReadonlyArray<Node>
  readonly action: string
  readonly run: () => Promise<void>
}) => {
  // Asked twice in a hurry, it is one question.
  if (document.querySelector("dialog") !== null) return
  const problem = element("p", { class: "problem", role: "alert", hidden: true })
  const confirm = element("button", { class: "primary", type: "submit" }, options.action)
  const submit = async () => {
    confirm.disabled = true
    try {
      await options.run()
      dialog.close()
    } catch (error) {
      problem.textContent = wordsFor(error)
      problem.hidden = false
      confirm.disabled = false
    }
  }
  const form = listen(
    element(
      "form",
      { novalidate: true },
      element("h2", { id: "dialog-title" }, options.title),
      ...options.content,
      problem,
      element(
        "div",
        { class: "dialog-foot" },
        button({ class: "secondary" }, () => dialog.close(), "Cancel"),
        confirm
      )
    ),
    {
      submit: (event) => {
        event.preventDefault()
        void submit()
      }
    }
  )
  const dialog = listen(element("dialog", { "aria-labelledby": "dialog-title" }, form), {
    close: () => dialog.remove()
  })
  document.body.append(dialog)
  dialog.showModal()
}
