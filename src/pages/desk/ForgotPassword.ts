import { button, element } from "../dom/Element.ts"
import { makeClient, run } from "./Client.ts"
import { field, hostnameField, makeEntrance } from "./EntranceForm.ts"

/** The same text for every address: it does not reveal whether the address is known. */
const sent = (email: string) =>
  `If somebody logs in here with ${email}, a mail with a link to set a new password is on its way. The link is good for four hours.`

/** The form that requests the mail for setting a new password. */
export const makeForgotPassword = (givenHostname: string, onBack: () => void) => {
  const email = field("email", "E-mail address", {
    type: "email",
    autocomplete: "email",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: "320"
  })
  const hostname = hostnameField(givenHostname)
  const back = button({ class: "link" }, onBack, "Back to the login")
  const { focus, form, view } = makeEntrance({
    title: "Forgot your password?",
    notice: undefined,
    intro: "We send you a mail with a link to set a new one.",
    fields: [email, hostname],
    action: "Send the mail",
    underway: "Sending…",
    more: back,
    run: async () => {
      const payload = { email: email.input.value.trim(), hostname: hostname.input.value.trim() }
      await run(makeClient().auth.requestPasswordReset({ payload }))
      const said = element("p", { role: "status", tabindex: -1 }, sent(payload.email))
      const hint = "Nothing came? Look among the spam, check the login address, or ask an administrator for help."
      form.replaceChildren(element("h1", {}, "Look into your mail"), said, element("p", { class: "help" }, hint), back)
      said.focus()
    }
  })
  return { view, focus }
}
