import { element, listen } from "../dom/Element.ts"
import { wordsFor } from "./Client.ts"

export const field = (name: string, label: string, attributes: Readonly<Record<string, string>>) => {
  const input = element("input", { name, id: `login-${name}`, required: true, ...attributes })
  return {
    input,
    label,
    row: element("div", { class: "field" }, element("label", { for: `login-${name}` }, label), input)
  }
}

type Field = ReturnType<typeof field>

const ownMachine = /^(?:127(?:\.\d+){3}|\[::1\])$/

/** The address where a person logs in. The service knows the local machine by name, not by IP address. */
export const hostnameField = (given?: string) => {
  const hostname = field("hostname", "Hostname", {
    autocapitalize: "none",
    spellcheck: "false",
    value: given ?? (ownMachine.test(location.hostname) ? "localhost" : location.hostname),
    "aria-describedby": "login-hostname-help"
  })
  hostname.row.append(
    element(
      "p",
      { class: "help", id: "login-hostname-help" },
      "The address your organisation logs in at, such as support.example.com."
    )
  )
  return hostname
}

/** A form shown before the desk: all fields are required, and it has one action. */
export const makeEntrance = (options: {
  readonly title: string
  readonly notice: string | undefined
  readonly intro?: string
  readonly fields: ReadonlyArray<Field>
  readonly action: string
  readonly underway: string
  readonly run: () => Promise<void>
  readonly onProblem?: () => void
  readonly more: Node
}) => {
  const { action, fields, intro, more, notice, title, underway } = options
  const problem = element("p", { class: "problem", role: "alert", hidden: notice === undefined }, notice ?? "")
  const submit = element("button", { class: "primary wide", type: "submit" }, action)
  let isBusy = false
  const setBusy = (next: boolean) => {
    isBusy = next
    // With the disabled attribute a button would lose the focus.
    submit.setAttribute("aria-disabled", String(next))
    submit.textContent = next ? underway : action
  }
  const complain = (words: string) => {
    problem.textContent = words
    problem.hidden = false
  }
  const run = async () => {
    setBusy(true)
    problem.hidden = true
    try {
      await options.run()
    } catch (error) {
      complain(wordsFor(error))
      options.onProblem?.()
    } finally {
      setBusy(false)
    }
  }
  const form = listen(
    element(
      "form",
      { class: "login", novalidate: true },
      element("p", { class: "brand" }, element("span", { class: "glyph", "aria-hidden": "true" }), "Casework"),
      element("h1", {}, title),
      intro !== undefined && element("p", { class: "help" }, intro),
      problem,
      ...fields.map(({ row }) => row),
      submit,
      more
    ),
    {
      submit: (event) => {
        event.preventDefault()
        const missing = fields.find(({ input }) => input.value.trim() === "")
        for (const { input } of fields) input.setAttribute("aria-invalid", String(input === missing?.input))
        if (missing === undefined) {
          if (!isBusy) void run()
          return
        }
        complain(`Enter the ${missing.label.toLowerCase()}.`)
        missing.input.focus()
      }
    }
  )
  return { view: element("main", { class: "entrance" }, form), form, focus: () => fields[0]?.input.focus() }
}
