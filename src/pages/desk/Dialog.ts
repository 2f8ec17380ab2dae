import { button, element, listen } from "../dom/Element.ts"
import { wordsFor } from "./Client.ts"
import { toast } from "./Toast.ts"

export const closeDialogs = () => {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close()
}

/** A question in front of everything else. Escape or Cancel closes it without any effect. */
export const openDialog = (options: {
  readonly title: string
  /** Which ticket it is about, if any. */
  readonly about?: string
  readonly content: ReadonlyArray<Node>
  readonly action: string
  readonly run?: () => Promise<void>
  /** Called afterwards, when the focus is back where it was. */
  readonly onDone: () => void
}) => {
  // Opened twice in a hurry, it is still one dialog.
  if (document.querySelector("dialog") !== null) return
  const problem = element("p", { class: "problem", role: "alert", hidden: true })
  const confirm = element("button", { class: "primary", type: "submit" }, options.action)
  let isBusy = false
  const submit = async () => {
    if (isBusy) return
    isBusy = true
    // With the disabled attribute it would lose the focus.
    confirm.setAttribute("aria-disabled", "true")
    try {
      await options.run?.()
      dialog.close()
      options.onDone()
    } catch (error) {
      // The error is shown even if the dialog was closed meanwhile.
      if (!dialog.open) toast(wordsFor(error))
      problem.textContent = wordsFor(error)
      problem.hidden = false
      isBusy = false
      confirm.removeAttribute("aria-disabled")
    }
  }
  const form = listen(
    element(
      "form",
      { novalidate: true },
      element(
        "h2",
        { id: "dialog-title" },
        options.title,
        ...(options.about === undefined
          ? []
          : [" ", element("span", { class: "about-ticket", dir: "auto" }, options.about)])
      ),
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
