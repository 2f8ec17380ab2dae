import { HttpServer } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { barriersInAllLooks, focused } from "./browser/Barriers.ts"
import { Browser, openWindow } from "./browser/Browser.ts"
import {
  answersIn,
  breakLine,
  calls,
  field,
  holdAnswer,
  openTicket,
  question,
  said,
  sendButton,
  settled
} from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { deskWindow, logIn } from "./browser/People.ts"

const loginCall = calls("POST", /\/login$/)

/** A browser in which a person or an organisation forbids web storage: even accessing it throws. */
const blockStorage = `
  for (const kind of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, kind, {
      get: () => {
        throw new DOMException("Access is denied for this document.", "SecurityError")
      }
    })
  }`

/** A tab that tells the others nothing until it is let. */
const answerLate = `
  const tell = BroadcastChannel.prototype.postMessage
  const waiting = []
  BroadcastChannel.prototype.postMessage = function (...told) {
    waiting.push(() => tell.apply(this, told))
  }
  window.answer = () => waiting.forEach((one) => one())`

const loginTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("Logging in at the desk", (it) => {
    it.scoped("a forgotten password leads to a mail, without revealing which addresses are known", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* deskWindow
        const ask = async (email: string) => {
          await page.getByRole("button", { name: "Forgot password?" }).click()
          await page.getByLabel("Email address").fill(email)
          await page.getByRole("button", { name: "Send link" }).click()
          const answer = await page.getByRole("status").textContent()
          await page.getByRole("button", { name: "Back to login" }).click()
          await page.getByLabel("Username").waitFor()
          return answer?.replace(email, "…")
        }
        const [unknown, known] = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Forgot password?" }).click()
          expect(await barriersInAllLooks(page)).toEqual([])
          const line = await breakLine(page, calls("POST", /request-password-reset$/))
          await page.getByLabel("Email address").fill("agent@acme.example")
          await page.getByRole("button", { name: "Send link" }).click()
          await page.getByText("The service cannot be reached.").waitFor()
          line.mend()
          await page.getByRole("button", { name: "Back to login" }).click()
          return [await ask("nobody@acme.example"), await ask("agent@acme.example")]
        })
        expect(known).toMatch(/^If there is an account for …, we have sent it an email/)
        expect(unknown).toBe(known)
        const mail = yield* Effect.flatMap(TestMailer, ({ next }) => next)
        expect([mail.to, /token=[\w-]+/.test(mail.text)]).toEqual(["agent@acme.example", true])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("a field that was left empty is named", () =>
      Effect.gen(function* () {
        const { page } = yield* deskWindow
        yield* Effect.promise(async () => {
          await page.getByLabel("Username").fill("acme-admin")
          await page.getByRole("button", { name: "Log in" }).click()
          await page.getByRole("alert").getByText("Enter the password.").waitFor()
          await page.locator("#login-password[aria-invalid=true]:focus").waitFor()
          expect(await barriersInAllLooks(page)).toEqual([])
        })
      })
    )

    it.scoped("the login address is localhost even if the page was opened by IP address", () =>
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const port = address._tag === "TcpAddress" ? address.port : 0
        const { page } = yield* openWindow(`http://127.0.0.1:${port}/desk`)
        yield* Effect.promise(async () => {
          expect(await page.getByLabel("Hostname").inputValue()).toBe("localhost")
          expect(await page.getByLabel("Username").inputValue()).toBe("")
          expect(await page.getByLabel("Password").inputValue()).toBe("")
          await logIn(page)
        })
      })
    )

    it.scoped("a browser without storage can log in, and works as long as the page is open", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("May I come in?")
        const { complaints, page } = yield* deskWindow
        yield* Effect.promise(async () => {
          await page.addInitScript(blockStorage)
          await page.reload()
          await logIn(page)
          await openTicket(page, ticketID)
          await field(page).fill("You may")
          await page.evaluate("location.hash = '#/'")
          await page.getByText("No ticket selected").waitFor()
          await openTicket(page, ticketID)
          expect(await field(page).inputValue()).toBe("You may")
          await sendButton(page).click()
          await said(page, "You may")
          await page.getByRole("button", { name: "Log out" }).click()
          await page.getByLabel("Username").waitFor()
        })
        expect(yield* answersIn(ticketID)).toEqual(["You may"])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("a ticket opened in another tab needs no login, and logging out there ends the session of all tabs", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Which tab is this?")
        const { complaints, page } = yield* deskWindow
        yield* Effect.promise(async () => {
          await logIn(page)
          await openTicket(page, ticketID)
          const link = page.locator(`.tickets a[href="#/tickets/${ticketID}"]`)
          const opened = page.context().waitForEvent("page")
          await link.click({ modifiers: ["ControlOrMeta"] })
          const other = await opened
          await said(other, "Which tab is this?")
          // Its own copy of the session: it lasts when the first tab is closed.
          await other.reload()
          await said(other, "Which tab is this?")
          await field(page).fill("Not sent yet")
          await other.getByRole("button", { name: "Log out" }).click()
          for (const tab of [page, other]) await tab.getByLabel("Username").waitFor()
          await page.getByText("You have logged out in another tab.").waitFor()
          // Nobody is left who could share a session.
          await other.reload()
          await other.getByLabel("Username").waitFor()
          await page.reload()
          await logIn(page)
          expect(await field(page).inputValue()).toBe("Not sent yet")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("logging out also ends a login of its own in another tab, and what a tab would come back to", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* deskWindow
        yield* Effect.promise(async () => {
          const address = page.url()
          const [own, away] = await Promise.all([1, 2].map(() => page.context().newPage()))
          if (own === undefined || away === undefined) throw new Error("there are no tabs")
          for (const tab of [page, own]) {
            await tab.goto(address)
            await tab.getByLabel("Username").waitFor()
          }
          await logIn(page)
          await logIn(own)
          await away.goto(address)
          await away.locator(".me").waitFor()
          await away.goto(new URL("/docs", address).href)
          await page.getByRole("button", { name: "Log out" }).click()
          await own.getByText("You have logged out in another tab.").waitFor()
          await away.goBack()
          await away.getByLabel("Username").waitFor()
          await logIn(away)
          await away.reload()
          await away.locator(".me").waitFor()
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("a new tab asks who it is for while different people are logged in", () =>
      Effect.gen(function* () {
        const { page } = yield* deskWindow
        yield* Effect.promise(async () => {
          const address = page.url()
          const open = async () => {
            const tab = await page.context().newPage()
            await tab.goto(address)
            return tab
          }
          const second = await open()
          await second.getByLabel("Username").waitFor()
          await logIn(page, "acme-admin")
          await logIn(second, "acme-agent")
          const third = await open()
          await third.getByLabel("Username").waitFor()
          await second.close()
          await third.reload()
          await third.locator(".me").getByText("acme-admin").waitFor()
        })
      })
    )

    it.scoped("a new tab leaves the login once a busy tab has answered, unless somebody is writing there", () =>
      Effect.gen(function* () {
        const { page } = yield* deskWindow
        yield* Effect.promise(async () => {
          await logIn(page)
          await page.evaluate(answerLate)
          const [idle, used] = await Promise.all([1, 2].map(() => page.context().newPage()))
          if (idle === undefined || used === undefined) throw new Error("there are no tabs")
          for (const tab of [idle, used]) {
            await tab.goto(page.url())
            await tab.getByLabel("Username").waitFor()
          }
          await used.getByLabel("Username").fill("acme-agent")
          await page.evaluate("answer()")
          await idle.locator(".me").getByText("acme-admin").waitFor()
          expect(await used.getByLabel("Username").inputValue()).toBe("acme-agent")
        })
      })
    )

    it.scoped("a login by keyboard keeps the focus on the button until there is a response", () =>
      Effect.gen(function* () {
        const { page } = yield* deskWindow
        yield* Effect.promise(async () => {
          await page.getByLabel("Username").fill("acme-admin")
          await page.getByLabel("Password").fill("Not-It-1")
          const held = await holdAnswer(page, loginCall)
          let asked = 0
          page.on("request", (request) => {
            if (loginCall(request)) asked += 1
          })
          await page.getByRole("button", { name: "Log in" }).press("Enter")
          await held.asked
          // A second press does nothing.
          await page.keyboard.press("Enter")
          await settled(page)
          expect(await focused(page)).toBe("Logging in…")
          held.letGo()
          await page.getByRole("alert").waitFor()
          await page.locator("#login-password:focus").waitFor()
          expect(asked).toBe(1)
        })
      })
    )
  })

inBrowser("Logging in at the desk", loginTests)
