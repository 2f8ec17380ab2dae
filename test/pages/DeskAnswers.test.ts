import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator } from "playwright-core"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { focused } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import {
  answer,
  answersIn,
  atTheDesk,
  calls,
  field,
  holdAnswer,
  loseAnswer,
  makeGate,
  openTicket,
  question,
  said,
  sayMore,
  sendButton,
  settled
} from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { logIn } from "./browser/People.ts"

const sendCall = calls("POST", /\/send$/)
const createCall = calls("POST", /\/create-new$/)
const messagesCall = calls("GET", /^\/ticketMessages$/)

/** What the service says about a page that would be too heavy. */
const tooLong = {
  status: 400,
  json: { status: 400, error: "Bad Request", message: "pageSize is too large for these items.", requestId: "r" }
}
const draftCall = calls("PUT", /^\/ticketMessages\//)

const draft = (id: Parameters<typeof answer>[0], aiReply: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessages }) =>
    ticketMessages.updateTicketMessage({ path: { id }, payload: { aiReply } })
  )

const deskTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("Answers at the desk", (it) => {
    it.scoped("an answer that is being sent is not sent again, and what is typed meanwhile stays", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Where is the cellar?")
        const { complaints, page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          const held = await holdAnswer(page, sendCall)
          await field(page).fill("Below")
          await sendButton(page).click()
          await held.asked
          await said(page, "Below")
          await field(page).press("End")
          await field(page).pressSequentially(" you")
          await field(page).press("Control+Enter")
          expect(await sendButton(page).isDisabled()).toBe(true)
          held.letGo()
          await page.getByText("Sent.", { exact: true }).waitFor()
          expect(await field(page).inputValue()).toBe("Below you")
        })
        expect(yield* answersIn(ticketID)).toEqual(["Below"])
        yield* Effect.promise(async () => {
          await sendButton(page).click()
          await said(page, "Below you")
          await page.locator("#answer:placeholder-shown").waitFor()
        })
        expect(yield* answersIn(ticketID)).toEqual(["Below", "Below you"])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("an answer that is sent again after a broken connection arrives once", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("When do you open?")
        const { page } = yield* atTheDesk
        const sendTwice = (text: string, send: Locator) => async () => {
          await field(page).fill(text)
          await send.click()
          await page.getByText("The service cannot be reached.").waitFor()
          await said(page, text)
          expect(await page.locator(".about .status-open").count()).toBe(1)
          await send.click()
          // "Sent." may still be there from the time before, so it is not waited for.
          await page.locator("#answer:placeholder-shown").waitFor()
        }
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await loseAnswer(page, sendCall)
          await loseAnswer(page, createCall)
        })
        yield* Effect.promise(sendTwice("At nine", sendButton(page)))
        expect(yield* answersIn(ticketID)).toEqual(["At nine"])
        // The ticket is closed when the answer is there, and not before.
        const sendAndClose = page.getByRole("button", { name: "Send and close" })
        yield* Effect.promise(sendTwice("On Sundays at ten", sendAndClose))
        expect(yield* answersIn(ticketID)).toEqual(["At nine", "On Sundays at ten"])
        yield* Effect.promise(async () => {
          await page.getByText("Ticket closed.").waitFor()
          await page.locator(".about .status-closed").waitFor()
          await sendAndClose.waitFor({ state: "hidden" })
          await page.locator("#answer:focus").waitFor()
          await page.getByRole("button", { name: "Undo" }).click()
          await sendAndClose.waitFor()
        })
        // What the customer writes meanwhile keeps the ticket open.
        const held = yield* Effect.promise(async () => {
          await field(page).fill("And on Mondays at nine")
          const held = await holdAnswer(page, createCall)
          await sendAndClose.click()
          await held.asked
          return held
        })
        yield* sayMore(ticketID, "And at Christmas?")
        yield* Effect.promise(async () => {
          held.letGo()
          await page.getByText("Sent. The customer has written again, so the ticket stays open.").waitFor()
          await sendAndClose.waitFor()
        })
      })
    )

    it.scoped("a ticket is closed after its answer even if its messages are too long for a page of many", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("How long may a letter be?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await page.route(
            (url) => url.pathname === "/ticketMessages" && Number(url.searchParams.get("pageSize")) > 4,
            (route) => route.fulfill(tooLong)
          )
          await openTicket(page, ticketID)
          await said(page, "How long may a letter be?")
          await field(page).fill("As long as you like")
          await page.getByRole("button", { name: "Send and close" }).click()
          await page.locator(".toast").getByText("Ticket closed.").waitFor({ timeout: 5000 })
          await page.locator(".about .status-closed").waitFor()
        })
      })
    )

    it.scoped("a slow discard of a draft, and its undo, leave other tickets alone", () =>
      Effect.gen(function* () {
        const one = yield* question("Is the lift out of order?")
        const other = yield* question("May I have a dog?")
        yield* draft(one.messageID, "It is being repaired")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, one.ticketID)
          const held = await holdAnswer(page, draftCall)
          await page.getByRole("button", { name: "Discard draft" }).click()
          await held.asked
          await openTicket(page, other.ticketID)
          await field(page).fill("A small one")
          held.letGo()
          await page.getByText("Draft discarded.").waitFor()
          expect(await field(page).inputValue()).toBe("A small one")
          await Promise.all([
            page.waitForResponse((response) => draftCall(response.request())),
            page.getByRole("button", { name: "Undo" }).click()
          ])
          await openTicket(page, one.ticketID)
          expect(await field(page).inputValue()).toBe("It is being repaired")
          await openTicket(page, other.ticketID)
          expect(await field(page).inputValue()).toBe("A small one")
        })
      })
    )

    it.scoped("a discarded draft does not come back with an older response", () =>
      Effect.gen(function* () {
        const { page } = yield* atTheDesk
        const { messageID, ticketID } = yield* question("Is there an attic?")
        yield* draft(messageID, "There is")
        const held = yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByText("AI draft").waitFor()
          return holdAnswer(page, messagesCall)
        })
        yield* draft(messageID, "There is one")
        yield* Effect.promise(async () => {
          await held.asked
          const discarded = page.waitForResponse((response) => draftCall(response.request()))
          await page.getByRole("button", { name: "Discard draft" }).click()
          await discarded
          await page.getByText("Draft discarded.").waitFor()
          held.letGo()
          await held.answered
          await settled(page)
          expect(await field(page).inputValue()).toBe("")
        })
      })
    )

    it.scoped("a person's edits come back when the discard of a draft is undone", () =>
      Effect.gen(function* () {
        const { page } = yield* atTheDesk
        const { messageID, ticketID } = yield* question("Is there a cellar?")
        yield* draft(messageID, "There is")
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await field(page).fill("There is, and it is dry")
          await page.getByRole("button", { name: "Discard draft" }).click()
          await page.getByText("Draft discarded.").waitFor()
          expect(await field(page).inputValue()).toBe("")
          await page.getByRole("button", { name: "Undo" }).click()
          await page.getByText("AI draft, edited").waitFor()
          expect(await field(page).inputValue()).toBe("There is, and it is dry")
          await page.reload()
          await said(page, "Is there a cellar?")
          expect(await field(page).inputValue()).toBe("There is, and it is dry")
        })
      })
    )

    it.scoped("a newer draft replaces a person's text only until that is undone", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("Is there an attic?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await field(page).fill("Let me look")
        })
        yield* draft(messageID, "There is an attic")
        yield* Effect.promise(async () => {
          // A draft saved by hand notifies nobody: the desk loads it because the ticket is chosen again.
          await page.locator(".item[aria-current]").click()
          await page.getByRole("button", { name: "Use new draft" }).click()
          expect(await field(page).inputValue()).toBe("There is an attic")
          await page.getByRole("button", { name: "Undo" }).click()
          expect(await field(page).inputValue()).toBe("Let me look")
          await page.getByRole("button", { name: "Use new draft" }).waitFor()
          await page.reload()
          await said(page, "Is there an attic?")
          expect(await field(page).inputValue()).toBe("Let me look")
        })
      })
    )

    it.scoped("a problem with one ticket is not shown on another", () =>
      Effect.gen(function* () {
        const one = yield* question("Is there a garden?")
        const other = yield* question("Is there a balcony?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, one.ticketID)
          const gate = makeGate()
          await page.route("**/send", async (route) => {
            await gate.opened
            await route.abort()
          })
          await field(page).fill("A large one")
          await sendButton(page).click()
          await openTicket(page, other.ticketID)
          await Promise.all([page.waitForEvent("requestfailed"), gate.open()])
          await settled(page)
          expect(await page.locator(".reply .problem").isVisible()).toBe(false)
          await openTicket(page, one.ticketID)
          await page.getByText("The service cannot be reached.").waitFor()
          expect(await field(page).inputValue()).toBe("A large one")
        })
      })
    )

    it.scoped("a text survives a reload and the end of the session, but not a logout", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Who has the keys?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await field(page).fill("The caretaker")
          await page.reload()
          await openTicket(page, ticketID)
          expect(await field(page).inputValue()).toBe("The caretaker")

          await page.route("**/tickets?**", (route) => route.fulfill({ status: 401, json: {} }), { times: 1 })
          // Clicks only if the tab is still there: the inbox may have asked by itself, and the session be over already.
          await page.evaluate("document.querySelector('.tab[aria-pressed=false]')?.click()")
          await page.getByText("Please log in again.").waitFor()
          await logIn(page)
          await openTicket(page, ticketID)
          expect(await field(page).inputValue()).toBe("The caretaker")

          const [leave, asked] = [page.getByRole("button", { name: "Log out" }), page.getByRole("dialog")]
          await leave.click()
          await asked.getByText("Text that was not sent will be discarded.").waitFor()
          await asked.getByRole("button", { name: "Cancel" }).click()
          expect([await field(page).inputValue(), await focused(page)]).toEqual(["The caretaker", "Log out"])
          await leave.click()
          await asked.getByRole("button", { name: "Log out" }).click()
          await logIn(page)
          await openTicket(page, ticketID)
          expect(await field(page).inputValue()).toBe("")
        })
      })
    )

    it.scoped("a question that a colleague has answered meanwhile is answered again only on purpose", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("How long is the lease?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await field(page).fill("Two years")
        })
        yield* answer(messageID, "A year")
        yield* Effect.promise(async () => {
          await page.getByText("Acme Agent has already replied. Send yours as well?").waitFor()
          await sendButton(page).click()
          await page.getByText("Press Send again").waitFor()
          expect(await page.getByText("has already replied").isVisible()).toBe(false)
        })
        expect(yield* answersIn(ticketID)).toEqual(["A year"])
        yield* Effect.promise(async () => {
          await sendButton(page).click()
          await page.getByText("Sent.", { exact: true }).waitFor()
        })
        expect(yield* answersIn(ticketID)).toEqual(["A year", "Two years"])
      })
    )
  })

inBrowser("Answers at the desk", deskTests)
