import { HttpServer } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { barriersInAllLooks } from "./browser/Barriers.ts"
import { Browser, openWindow } from "./browser/Browser.ts"
import { breakLine, calls } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { deskWindow, logIn } from "./browser/People.ts"

const loginTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("At the door of the desk", (it) => {
    it.scoped("who forgot the password gets a mail, and nobody learns who is known", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* deskWindow
        const ask = async (email: string) => {
          await page.getByRole("button", { name: "Forgot password?" }).click()
          await page.getByLabel("E-mail address").fill(email)
          await page.getByRole("button", { name: "Send the mail" }).click()
          const answer = await page.getByRole("status").textContent()
          await page.getByRole("button", { name: "Back to the login" }).click()
          await page.getByLabel("Username").waitFor()
          return answer?.replace(email, "…")
        }
        const [unknown, known] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Forgot password?" }).click()
          expect(await barriersInAllLooks(page)).toEqual([])
          const line = await breakLine(page, calls("POST", /request-password-reset$/))
          await page.getByLabel("E-mail address").fill("agent@acme.example")
          await page.getByRole("button", { name: "Send the mail" }).click()
          await page.getByText("The service cannot be reached.").waitFor()
          line.mend()
          await page.getByRole("button", { name: "Back to the login" }).click()
          return [await ask("nobody@acme.example"), await ask("agent@acme.example")]
        })
        expect(known).toMatch(/^If somebody logs in here with …, a mail with a link/)
        expect(unknown).toBe(known)
        const mail = yield* Effect.flatMap(TestMailer, ({ next }) => next)
        expect([mail.to, /token=[\w-]+/.test(mail.text)]).toEqual(["agent@acme.example", true])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("the own machine is known by its name, also where it was called by its number", () =>
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const port = address._tag === "TcpAddress" ? address.port : 0
        const { page } = yield* openWindow(`http://127.0.0.1:${port}/desk`)
        yield* Effect.promise(async () => {
          expect(await page.getByLabel("Login address").inputValue()).toBe("localhost")
          expect(await page.getByLabel("Username").inputValue()).toBe("")
          expect(await page.getByLabel("Password").inputValue()).toBe("")
          await logIn(page)
        })
      })
    )
  })

inBrowser("At the door of the desk", loginTests)
