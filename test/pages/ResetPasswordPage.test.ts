import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { askForReset, attemptLogin } from "../support/Logins.ts"
import { testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { focused } from "./browser/Barriers.ts"
import { Browser, localUrl, openWindow } from "./browser/Browser.ts"
import { settled } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"

const call = "**/api/Auth/reset-password"
const unreachable = "The service cannot be reached. Try again."
const isSet = "Your new password is set. You can now log in with it."

/** Opens the link of a reset mail that was requested just now. */
const openLink = Effect.gen(function* () {
  expect((yield* askForReset("agent@acme.example")).status).toBe(200)
  const { text } = yield* Effect.flatMap(TestMailer, ({ next }) => next)
  const token = yield* Effect.fromNullable(/token=([\w-]+)/.exec(text)?.[1])
  return yield* openWindow(`${yield* localUrl}/reset-password?token=${token}`)
})

const resetPageTests = () =>
  layer(Layer.merge(testApp(), Browser.layer), { excludeTestServices: true })("The page that sets a password", (it) => {
    it.scoped("sets it once however often the button is pressed, and links to the desk", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* openLink
        let calls = 0
        page.on("request", (request) => {
          if (request.method() === "POST") calls += 1
        })
        yield* Effect.promise(async () => {
          await page.getByLabel("New password").fill("Brand-New-1")
          await page.getByRole("button").dblclick()
          await page.getByText(isSet).waitFor()
          expect(await page.getByRole("button").isDisabled()).toBe(true)
          expect(await page.getByRole("link").getAttribute("href")).toBe("/desk")
        })
        expect([calls, complaints]).toEqual([1, []])
        expect((yield* attemptLogin({ username: "acme-agent", password: "Brand-New-1" })).status).toBe(200)
      })
    )

    it.scoped("says what went wrong, even when a proxy responded, and can be tried again", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* openLink
        const say = page.getByRole("status")
        yield* Effect.promise(async () => {
          const trySetting = async (password: string) => {
            await page.getByLabel("New password").fill(password)
            await page.getByRole("button").click()
          }
          await page.route(call, (route) => route.abort())
          await trySetting("Brand-New-2")
          await say.filter({ hasText: unreachable }).waitFor()

          const answers: Array<() => void> = []
          const html = { status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }
          await page.unroute(call)
          await page.route(call, (route) => answers.push(() => void route.fulfill(html)))
          const asked = page.waitForRequest(call)
          await page.getByRole("button").press("Enter")
          await asked
          expect(await say.textContent()).toBe("")
          // A second press by keyboard keeps the focus and sends no second request.
          await page.keyboard.press("Enter")
          await settled(page)
          expect(answers.length).toBe(1)
          for (const answer of answers) answer()
          await say.filter({ hasText: unreachable }).waitFor()
          expect(await focused(page)).toBe("Set password")

          await page.unroute(call)
          await trySetting("weakweak")
          await say.filter({ hasText: /^The new password .*digit/i }).waitFor()
          expect(await page.getByRole("link").count()).toBe(0)
          await trySetting("Brand-New-2")
          await say.filter({ hasText: isSet }).waitFor()

          await page.reload()
          await say.filter({ hasText: "Open the link in the mail again." }).waitFor()
          expect(await page.getByRole("button").isDisabled()).toBe(true)
        })
        expect(complaints).toEqual([])
      })
    )
  })

inBrowser("The page that sets a password", resetPageTests)
