import { button, element, listen } from "../dom/Element.ts"
import { Refused } from "../hub/HubClient.ts"
import type { ChatTexts } from "./ChatTexts.ts"
import type { Words } from "./Words.ts"

interface EscalationHandlers {
  /** Asks for a person; returns whether one is there right now. */
  readonly onAsk: () => Promise<boolean>
  readonly onEmail: (email: string) => Promise<unknown>
  /** Called when there is nothing more to do here, so that a visitor with the focus here can go on writing. */
  readonly onDone: () => void
}

/** How long a person is looked for before an address is asked for, as if nobody had been there. */
const search = 60_000

/** Long enough to be read, whatever happens in the chat meanwhile. */
const thanksLast = 10_000

const looksLikeEmail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Offers to talk to a person. If nobody is there, an address to answer to will do. */
export const makeEscalation = (texts: ChatTexts, words: Words, handlers: EscalationHandlers) => {
  const card = element("section", { class: "card", hidden: true, "aria-label": texts.escalatePrompt })
  let wasAsked = false
  let searchingSince: number | undefined
  let thankedAt = Number.NEGATIVE_INFINITY

  const hasFocus = () => card.matches(":focus-within")
  const hasText = () => [...card.querySelectorAll("input")].some(({ value }) => value.trim() !== "")

  const show = (...children: ReadonlyArray<Node>) => {
    searchingSince = undefined
    card.replaceChildren(...children)
    card.hidden = false
    card.scrollIntoView({ block: "end" })
  }

  const hide = () => {
    searchingSince = undefined
    const hadFocus = hasFocus()
    card.hidden = true
    card.replaceChildren()
    if (hadFocus) handlers.onDone()
  }

  const askForEmail = () => {
    const problem = element("p", { class: "problem", role: "alert", id: "email-problem", hidden: true })
    const complain = (reason: string) => {
      problem.textContent = reason
      problem.hidden = false
      input.focus()
    }
    const submit = async (email: string) => {
      try {
        await handlers.onEmail(email)
        const hadFocus = hasFocus()
        show(element("p", { role: "status" }, texts.succesfulSubmission))
        thankedAt = Date.now()
        if (hadFocus) handlers.onDone()
      } catch (error) {
        complain(error instanceof Refused ? texts.validEmail : words.offline)
      }
    }
    const input = element("input", {
      type: "email",
      autocomplete: "email",
      dir: "ltr",
      maxlength: 320,
      "aria-describedby": "email-reason email-problem"
    })
    const form = listen(
      element(
        "form",
        { class: "card-form", novalidate: true },
        element("p", { id: "email-reason" }, words.leaveEmail),
        element("label", {}, words.email, input),
        problem,
        element("button", { type: "submit", class: "choice primary" }, texts.submitButtonText)
      ),
      {
        submit: (event) => {
          event.preventDefault()
          const email = input.value.trim()
          const isGood = looksLikeEmail.test(email)
          input.setAttribute("aria-invalid", String(!isGood))
          if (isGood) void submit(email)
          else complain(texts.validEmail)
        }
      }
    )
    show(form)
    return input
  }

  const accept = async () => {
    const hadFocus = hasFocus()
    show(element("p", { role: "status" }, texts.availabilityCheck))
    if (hadFocus) handlers.onDone()
    searchingSince = Date.now()
    const isAvailable = await handlers.onAsk().catch(() => false)
    if (!isAvailable && searchingSince !== undefined) askForEmail().focus()
  }

  const decline = () => {
    hide()
    handlers.onDone()
  }

  const ask = () => {
    if (!card.hidden) return
    wasAsked = true
    show(
      element("p", {}, texts.escalatePrompt),
      element(
        "div",
        { class: "choices" },
        button({ class: "choice primary" }, () => void accept(), texts.yesText),
        button({ class: "choice" }, decline, texts.noText)
      )
    )
  }

  return {
    card,
    ask,
    wasAsked: () => wasAsked,
    /** Asks for an address when nobody came; it does not interrupt a visitor who is writing something meanwhile. */
    searchNoLonger: () => {
      if (searchingSince !== undefined && Date.now() - searchingSince > search) askForEmail()
    },
    /**
     * Somebody is here, so there is nothing left to ask until nobody answers again. A visitor who is about to answer or
     * has begun to write an address is not interrupted, unless the chat is over.
     */
    settle: (isOver: boolean) => {
      wasAsked = false
      const isBeingRead = Date.now() - thankedAt < thanksLast
      if (!card.hidden && (isOver || !(hasFocus() || hasText() || isBeingRead))) hide()
    }
  }
}
