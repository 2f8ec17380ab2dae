import { element, icon, listen, say } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import type { ChatTexts } from "./ChatTexts.ts"
import type { Words } from "./Words.ts"

/** The hub accepts 32 KB; this many characters fit in any script. */
const longest = 6000

/** Where the visitor writes: Enter sends, Shift and Enter begins a new line. */
export const makeComposer = (
  texts: ChatTexts,
  words: Words,
  draft: string,
  handlers: {
    readonly onSend: (text: string) => void
    readonly onTyping: () => void
    readonly onDraft: (text: string) => void
  }
) => {
  const input = element("textarea", {
    rows: 1,
    "aria-label": words.write,
    placeholder: words.write,
    "aria-describedby": "message-problem",
    enterkeyhint: "send"
  })
  const problem = element("p", { class: "problem", role: "alert", id: "message-problem", hidden: true })
  const send = element(
    "button",
    { class: "send", type: "submit", "aria-label": texts.sendButtonText, title: texts.sendButtonText },
    icon(icons.send)
  )
  let maySend = false
  const adjust = () => {
    // An empty field follows the direction of the window, a filled one that of its text.
    input.dir = input.value === "" ? "" : "auto"
    input.style.blockSize = "auto"
    input.style.blockSize = `${Math.max(44, Math.min(132, input.scrollHeight))}px`
    const { length } = input.value.trim()
    const isTooLong = length > longest
    say(problem, isTooLong ? words.tooLong : undefined)
    input.setAttribute("aria-invalid", String(isTooLong))
    maySend = !input.readOnly && length > 0 && !isTooLong
    send.setAttribute("aria-disabled", String(!maySend))
  }
  const write = (text: string) => {
    input.value = text
    adjust()
  }
  const submit = () => {
    if (!maySend) return
    const text = input.value.trim()
    write("")
    handlers.onDraft("")
    handlers.onSend(text)
    input.focus()
  }
  listen(input, {
    input: () => {
      adjust()
      handlers.onDraft(input.value)
      if (input.value.trim() !== "") handlers.onTyping()
    },
    keydown: (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
      event.preventDefault()
      submit()
    }
  })
  write(draft)
  const form = listen(
    element("form", { class: "composer", novalidate: true }, problem, element("div", { class: "field" }, input), send),
    {
      submit: (event) => {
        event.preventDefault()
        submit()
      }
    }
  )
  return {
    form,
    write,
    focus: () => {
      // The height that the field needs is known only once it is visible.
      adjust()
      input.focus()
    },
    /** A read-only field still lets the visitor read and copy what is already written. */
    allow: (mayWrite: boolean) => {
      if (input.readOnly !== mayWrite) return
      input.readOnly = !mayWrite
      adjust()
    }
  }
}
