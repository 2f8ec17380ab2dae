import { createHash } from "node:crypto"
import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"

/** Looks like the desk's login, without loading anything of it. */
const style = `
  :root {
    --page: #f5f6f9; --surface: #fff; --line: #e2e5ec; --control: #7d8698; --ink: #182030; --soft: #566074;
    --accent: #2f56c7; --on-accent: #fff; --shadow: 0 1px 2px rgb(16 24 40 / 6%), 0 12px 32px -12px rgb(16 24 40 / 24%);
    color-scheme: light;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --page: #0f1218; --surface: #161a22; --line: #2a3140; --control: #808ba1; --ink: #e8ebf2; --soft: #a4adbf;
      --accent: #8eabff; --on-accent: #0c1222; --shadow: 0 12px 32px -12px rgb(0 0 0 / 70%);
      color-scheme: dark;
    }
  }
  *, ::before, ::after { box-sizing: border-box }
  body {
    display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 24px; background: var(--page);
    color: var(--ink); font: 400 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif;
  }
  form {
    width: min(380px, 100%); display: grid; gap: 18px; padding: 36px 32px; background: var(--surface);
    border: 1px solid var(--line); border-radius: 20px; box-shadow: var(--shadow);
  }
  h1, p { margin: 0 }
  h1 { font-size: 26px; line-height: 1.2; letter-spacing: -.02em }
  .brand { display: flex; align-items: center; gap: 10px; font-weight: 700; letter-spacing: -.01em }
  .brand::before {
    content: ""; width: 22px; height: 22px; border-radius: 7px;
    background: linear-gradient(135deg, var(--accent) 50%, color-mix(in srgb, var(--accent) 55%, transparent) 50%);
  }
  .field { display: grid; gap: 5px }
  label { font-weight: 600; font-size: 14px }
  .help { color: var(--soft); font-size: 13.5px }
  input, button { font: inherit; min-height: 44px; border-radius: 9px }
  input { width: 100%; padding: 8px 12px; color: inherit; background: var(--surface); border: 1px solid var(--control) }
  button { padding: 8px 16px; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer }
  button:disabled, button[aria-disabled="true"] { cursor: default; opacity: .6 }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
  /* Always rendered, so that what appears in it is read out. */
  output:empty { margin-top: -18px }
  a { color: var(--accent); justify-self: start; padding-block: 4px }
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
  <p class="brand">Casework</p>
  <h1>Set a new password</h1>
  <div class="field">
    <label for="password">New password</label>
    <input id="password" name="password" type="password" autocomplete="new-password" required minlength="8" aria-describedby="rule">
    <p class="help" id="rule">At least 8 characters, with at least 3 of these 4: digit, lowercase letter, uppercase letter, symbol.</p>
  </div>
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
