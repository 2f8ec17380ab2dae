import { element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import type { ChatTexts } from "./ChatTexts.ts"
import type { Words } from "./Words.ts"

/** The hub takes 32 KB; in any script this many characters fit. */
const longest = 6000

/** Where the visitor writes: Enter sends, Shift and Enter begins a new line. */
export const makeComposer = (
  texts: ChatTexts,
  words: Words,
  handlers: { readonly onSend: (text: string) => void; readonly onTyping: () => void }
) => {
  const input = element("textarea", {
    rows: 1,
    "aria-label": words.write,
    placeholder: words.write,
    maxlength: longest,
    enterkeyhint: "send"
  })
  const send = element(
    "button",
    { class: "send", type: "submit", "aria-label": texts.sendButtonText, title: texts.sendButtonText },
    icon(icons.send)
  )
  const adjust = () => {
    // Empty, it reads in the direction of the window; written in, in that of the text.
    input.dir = input.value === "" ? "" : "auto"
    input.style.blockSize = "auto"
    input.style.blockSize = `${Math.max(44, Math.min(132, input.scrollHeight))}px`
    send.setAttribute("aria-disabled", String(input.readOnly || input.value.trim() === ""))
  }
  const submit = () => {
    const text = input.value.trim()
    if (text === "" || input.readOnly) return
    input.value = ""
    adjust()
    handlers.onSend(text)
    input.focus()
  }
  listen(input, {
    input: () => {
      adjust()
      if (input.value.trim() !== "") handlers.onTyping()
    },
    keydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
      event.preventDefault()
      submit()
    }
  })
  send.setAttribute("aria-disabled", "true")
  const form = listen(
    element("form", { class: "composer", novalidate: true }, element("div", { class: "field" }, input), send),
    {
      submit: (event) => {
        event.preventDefault()
        submit()
      }
    }
  )
  return {
    form,
    focus: () => input.focus(),
    /** What is written already stays readable: it can still be copied. */
    allow: (mayWrite: boolean) => {
      if (input.readOnly !== mayWrite) return
      input.readOnly = !mayWrite
      adjust()
    }
  }
}
