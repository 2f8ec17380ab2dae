import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { Browser } from "./browser/Browser.ts"
import { makeChatLine } from "./browser/ChatLine.ts"
import {
  atTheDesk,
  breakLine,
  calls,
  field,
  openTicket,
  question,
  said,
  sayMore,
  sendButton,
  settled
} from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { deskWindow, logIn } from "./browser/People.ts"

const messagesCall = calls("GET", /^\/ticketMessages$/)

/** The response of a service that throttles this caller for a while. */
const tired = {
  status: 429,
  headers: { "retry-after": "1" },
  json: { status: 429, error: "Too Many Requests", message: "Too many requests. Try again in 1 s.", requestId: "r" }
}

const refuse = (page: Page, path: RegExp, times: number) =>
  page.route(
    (url) => path.test(url.pathname),
    (route) => route.fulfill(tired),
    { times }
  )

/** As when the browser comes back online; otherwise the next attempt may be half a minute away. */
const tryToConnect = (page: Page) => page.evaluate('dispatchEvent(new Event("online"))')

/** Records everything that a screen reader announces about the connection from now on. */
const listenToConnection = `
  said = []
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const { textContent } of addedNodes) said.push(textContent)
  }).observe(document.querySelector(".connection"), { childList: true })`

const troubleTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("When something is wrong at the desk", (it) => {
    it.scoped("a ticket that did not load is requested again by its row and by a button", () =>
      Effect.gen(function* () {
        // In this order, because the desk may be told again what happened just before it was opened.
        const { page } = yield* atTheDesk
        const { ticketID } = yield* question("Do not lose me")
        yield* Effect.promise(async () => {
          const row = page.locator(`.item[href="#/tickets/${ticketID}"]`)
          const line = await breakLine(page, messagesCall)
          await row.click()
          await page.getByText("Could not load the ticket").waitFor()
          const [again] = await Promise.all([page.waitForEvent("requestfailed"), row.click()])
          expect(again.url()).toContain("/ticketMessages")
          await page.getByText("Could not load the ticket").waitFor()
          line.mend()
          await page.getByRole("button", { name: "Try again" }).click()
          await said(page, "Do not lose me")
        })
      })
    )

    it.scoped("a throttled request shows the service's message, and is repeated when the service allows it", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Too much for you?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await refuse(page, /^\/ticketMessages$/, 1)
          await page.evaluate(`location.hash = "#/tickets/${ticketID}"`)
          await page.locator(".ticket").getByText("Too many requests. Try again in 1 s.").waitFor()
          await said(page, "Too much for you?")
          await refuse(page, /^\/api\/[Tt]ickets$|^\/tickets$/, 1)
          await page.getByRole("button", { name: "Pending", exact: true }).click()
          await page.locator(".inbox").getByText("Too many requests. Try again in 1 s.").waitFor()
          await page.locator(".inbox .item, .inbox .empty").filter({ hasNotText: "Could not load" }).first().waitFor()
        })
      })
    )

    it.scoped("a dialog about one ticket does not stay open over another", () =>
      Effect.gen(function* () {
        const one = yield* question("The first one")
        const other = yield* question("The other one")
        const { tickets } = yield* clientOf("acme-admin")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, one.ticketID)
          await openTicket(page, other.ticketID)
          await page.getByRole("button", { name: "Escalate", exact: true }).click()
          const dialog = page.getByRole("dialog", { name: `#${other.ticketID} The other one` })
          await dialog.waitFor()
          await page.goBack()
          await said(page, "The first one")
          expect(await page.getByRole("dialog").count()).toBe(0)
        })
        const { status } = yield* tickets.getTicket({ path: { id: other.ticketID } })
        expect(status).toBe("Open")
      })
    )

    it.scoped("a broken connection is announced once, however often it is retried", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Are you connected?")
        const { page } = yield* deskWindow
        yield* Effect.promise(async () => {
          const line = await makeChatLine(page)
          await page.clock.install()
          await page.reload()
          await logIn(page)
          await openTicket(page, ticketID)
          await breakLine(page, calls("POST", /\/send$/))
          await field(page).fill("We are")
          await sendButton(page).click()
          const problem = page.locator(".reply .problem").getByText("The service cannot be reached.")
          await problem.waitFor()
          await page.evaluate(listenToConnection)
          await line.cut()
          await page.getByText("Offline. Reconnecting…").waitFor()
          await line.mendLate()
          await page.getByText("Live", { exact: true }).waitFor()
          expect(await page.evaluate("said")).toEqual(["Offline. Reconnecting…", "Live"])
          await problem.waitFor({ state: "hidden" })
          expect(await field(page).inputValue()).toBe("We are")
        })
      })
    )

    it.scoped(
      "the open ticket is loaded again with each attempt to connect, even if web sockets never get through",
      () =>
        Effect.gen(function* () {
          const { ticketID } = yield* question("Do you hire out boats?")
          const { page } = yield* atTheDesk
          yield* Effect.promise(async () => {
            await page.routeWebSocket(/chatHub/, (socket) => void socket.close())
            await page.reload()
            await page.getByText("Offline. Reconnecting…").waitFor()
            await openTicket(page, ticketID)
            await said(page, "Do you hire out boats?")
          })
          yield* sayMore(ticketID, "I mean canoes")
          yield* Effect.promise(async () => {
            await tryToConnect(page)
            await said(page, "I mean canoes")
          })
        })
    )

    it.scoped("a ticket that does not load keeps the focus on its button while it is requested again", () =>
      Effect.gen(function* () {
        const { page } = yield* atTheDesk
        const { ticketID } = yield* question("Where is my focus?")
        yield* Effect.promise(async () => {
          await page.routeWebSocket(/chatHub/, (socket) => void socket.close())
          await page.reload()
          await page.getByText("Offline. Reconnecting…").waitFor()
          await breakLine(page, messagesCall)
          await page.evaluate(`location.hash = "#/tickets/${ticketID}"`)
          const again = page.getByRole("button", { name: "Try again" })
          await again.focus()
          const failed = page.waitForEvent("requestfailed", (request) => messagesCall(request))
          await tryToConnect(page)
          await failed
          await settled(page)
          expect(await again.evaluate("document.activeElement?.textContent")).toBe("Try again")
        })
      })
    )

    it.scoped("a clock that is days ahead locks nobody out", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* deskWindow
        yield* Effect.promise(async () => {
          await page.clock.setSystemTime(Date.now() + 48 * 60 * 60 * 1000)
          await logIn(page)
          await page.reload()
          await page.getByText("Live", { exact: true }).waitFor()
        })
        expect(complaints).toEqual([])
      })
    )
  })

inBrowser("When something is wrong at the desk", troubleTests)
