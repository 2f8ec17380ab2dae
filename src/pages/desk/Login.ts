import { element, listen } from "../dom/Element.ts"
import { makeClient, run, wordsFor } from "./Client.ts"
import { beginSession, type Session } from "./Session.ts"

const field = (name: string, label: string, attributes: Readonly<Record<string, string>>) => {
  const input = element("input", { name, id: `login-${name}`, required: true, ...attributes })
  return { input, row: element("div", { class: "field" }, element("label", { for: `login-${name}` }, label), input) }
}

/** Where it begins: who are you, and at which address do you log in? */
export const makeLogin = (notice: string | undefined, onLogin: (session: Session) => void) => {
  const username = field("username", "Username", {
    autocomplete: "username",
    autocapitalize: "none",
    spellcheck: "false"
  })
  const password = field("password", "Password", { type: "password", autocomplete: "current-password" })
  const hostname = field("hostname", "Login address", {
    autocapitalize: "none",
    spellcheck: "false",
    value: location.hostname,
    "aria-describedby": "login-hostname-help"
  })
  hostname.row.append(
    element("p", { class: "help", id: "login-hostname-help" }, "The host name your organisation logs in at.")
  )
  const problem = element("p", { class: "problem", role: "alert", hidden: notice === undefined }, notice ?? "")
  const submit = element("button", { class: "primary wide", type: "submit" }, "Log in")

  const logIn = async () => {
    submit.disabled = true
    submit.textContent = "Logging in…"
    problem.hidden = true
    try {
      const payload = {
        username: username.input.value.trim(),
        password: password.input.value,
        hostname: hostname.input.value.trim()
      }
      const { token } = await run(makeClient().auth.login({ payload }))
      const session = beginSession(token)
      if (session !== undefined) onLogin(session)
    } catch (error) {
      problem.textContent = wordsFor(error)
      problem.hidden = false
      password.input.select()
    } finally {
      submit.disabled = false
      submit.textContent = "Log in"
    }
  }

  const form = listen(
    element(
      "form",
      { class: "login", novalidate: true },
      element("p", { class: "brand" }, element("span", { class: "glyph", "aria-hidden": "true" }), "Casework"),
      element("h1", {}, "Welcome back"),
      problem,
      username.row,
      password.row,
      hostname.row,
      submit
    ),
    {
      submit: (event) => {
        event.preventDefault()
        const missing = [username, password, hostname].find(({ input }) => input.value.trim() === "")
        if (missing === undefined) void logIn()
        else missing.input.focus()
      }
    }
  )
  return { view: element("main", { class: "entrance" }, form), focus: () => username.input.focus() }
}
