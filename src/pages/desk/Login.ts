import { button } from "../dom/Element.ts"
import { makeClient, notUnderstood, run } from "./Client.ts"
import { field, hostnameField, makeEntrance } from "./EntranceForm.ts"
import { Problem } from "./Problem.ts"
import { beginSession, type Session } from "./Session.ts"

/** The login form: asks for the person and the address at which they log in. */
export const makeLogin = (
  notice: string | undefined,
  onLogin: (session: Session) => void,
  onForgotten: (hostname: string) => void
) => {
  const username = field("username", "Username", {
    autocomplete: "username",
    autocapitalize: "none",
    spellcheck: "false"
  })
  const password = field("password", "Password", { type: "password", autocomplete: "current-password" })
  const hostname = hostnameField()
  return makeEntrance({
    title: "Log in",
    notice,
    fields: [username, password, hostname],
    action: "Log in",
    underway: "Logging in…",
    more: button({ class: "link" }, () => onForgotten(hostname.input.value), "Forgot password?"),
    onProblem: () => password.input.select(),
    run: async () => {
      const payload = {
        username: username.input.value.trim(),
        password: password.input.value,
        hostname: hostname.input.value.trim()
      }
      const { token } = await run(makeClient().auth.login({ payload }))
      const session = beginSession(token)
      if (session === undefined) throw new Problem(notUnderstood)
      onLogin(session)
    }
  })
}
