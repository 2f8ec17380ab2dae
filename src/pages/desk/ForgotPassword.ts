import { button, element } from "../dom/Element.ts"
import { makeClient, run } from "./Client.ts"
import { field, hostnameField, makeEntrance } from "./EntranceForm.ts"

/** The same text for every address: it does not reveal whether the address is known. */
const sent = (email: string) =>
  `If there is an account for ${email}, we have sent it an email with a link to set a new password. The link is valid for four hours.`

/** The form that requests the mail for setting a new password. */
export const makeForgotPassword = (givenHostname: string, onBack: () => void) => {
  const email = field("email", "Email address", {
    type: "email",
    autocomplete: "email",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: "320"
  })
  const hostname = hostnameField(givenHostname)
  const back = button({ class: "link" }, onBack, "Back to login")
  const { focus, form, view } = makeEntrance({
    title: "Forgot your password?",
    notice: undefined,
    intro: "Enter your email address, and we will send you a link to set a new password.",
    fields: [email, hostname],
    action: "Send link",
    underway: "Sending…",
    more: back,
    run: async () => {
      const payload = { email: email.input.value.trim(), hostname: hostname.input.value.trim() }
      await run(makeClient().auth.requestPasswordReset({ payload }))
      const said = element("p", { role: "status", tabindex: -1 }, sent(payload.email))
      const hint = "No email? Check your spam folder and the hostname, or ask an administrator for help."
      form.replaceChildren(element("h1", {}, "Check your email"), said, element("p", { class: "help" }, hint), back)
      said.focus()
    }
  })
  return { view, focus }
}
