import { createHash } from "node:crypto"
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"

const style = `
  :root { color-scheme: light dark; font-family: system-ui, sans-serif }
  body { display: grid; place-items: center; min-height: 90vh; margin: 0 }
  form { width: min(22rem, 90vw); display: grid; gap: .75rem }
  input, button { font: inherit; padding: .6rem; border-radius: .4rem; border: 1px solid #8888 }
  button { background: #1d4ed8; color: #fff; border: 0; cursor: pointer }
  button:disabled, button[aria-disabled="true"] { cursor: default }
  output { min-height: 3em }
`

const script = `
  const form = document.querySelector("form"), output = document.querySelector("output")
  const { button, password } = form.elements
  const token = new URLSearchParams(location.search).get("token") ?? ""
  history.replaceState(null, "", location.pathname)
  const set = async () => {
    const response = await fetch("/api/Auth/reset-password", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, newPassword: password.value })
    }).catch(() => undefined)
    if (response?.status === 204) return undefined
    // A proxy in between may return anything.
    const { message } = (await response?.json().catch(() => undefined)) ?? {}
    // The message is worded for programs, so it names the property.
    return typeof message === "string" ? message.replace(/^newPassword /, "The new password ") : "The service cannot be reached. Try again."
  }
  if (token === "") {
    button.disabled = true
    output.textContent = "Open the link in the mail again."
  }
  let isBusy = false
  const setBusy = (next) => {
    isBusy = next
    // A disabled button would lose the focus.
    button.setAttribute("aria-disabled", String(next))
  }
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    // A second request would fail: the first one has used the link.
    if (isBusy) return
    setBusy(true)
    output.textContent = ""
    const problem = await set()
    output.textContent = problem ?? "Your new password is set. You can now log in with it."
    setBusy(problem === undefined)
    document.querySelector("a").hidden = problem !== undefined
  })
`

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Set a new password · Casework</title>
<style>${style}</style>
<form>
  <h1>Set a new password</h1>
  <label for="password">New password: at least 8 characters, with at least 3 of these 4: digit, lowercase letter, uppercase letter, symbol</label>
  <input id="password" name="password" type="password" autocomplete="new-password" required minlength="8">
  <button name="button">Set password</button>
  <output role="status"></output>
  <a href="/desk" hidden>Log in at the desk</a>
</form>
<script>${script}</script>
</html>
`

const hashed = (inline: string) => `'sha256-${createHash("sha256").update(inline).digest("base64")}'`

const policy = [
  "default-src 'none'",
  `script-src ${hashed(script)}`,
  `style-src ${hashed(style)}`,
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

/** The target of the link in a reset mail. Uses only the public API and keeps the token out of the browser history. */
export const ResetPasswordPage = HttpApiBuilder.Router.use((router) =>
  router.get(
    "/reset-password",
    HttpServerResponse.html(page).pipe(
      HttpServerResponse.setHeaders({ "content-security-policy": policy, "cache-control": "no-store" })
    )
  )
)
