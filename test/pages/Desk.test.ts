import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { TicketUpdate } from "../../schema/Tickets.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { Browser } from "./browser/Browser.ts"
import {
  atTheDesk,
  breakLine,
  calls,
  hearEvents,
  holdAnswer,
  openTicket,
  question,
  said,
  sayMore
} from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { deskWindow, logIn } from "./browser/People.ts"

const ticketCall = calls("PUT", /^\/tickets\//)
const listCall = calls("GET", /^\/ticketMessages$/)

const deskTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("At the desk", (it) => {
    it.scoped("topics that were added meanwhile stay on the message when others are chosen", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("The heating is cold")
        const { ticketMessages, topics } = yield* clientOf("acme-admin")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Add topics" }).click()
          await page.getByRole("button", { name: "Cancel" }).click()
        })
        const names = Array.from({ length: 201 }, (_, index) => `A topic ${index}`)
        yield* Effect.forEach(names, (name) => topics.createTopic({ payload: { name } }), { concurrency: 8 })
        const { topicID } = yield* topics.createTopic({ payload: { name: "Z heating" } })
        yield* ticketMessages.correctTopics({ path: { id: messageID }, payload: { topicIds: [topicID] } })
        yield* sayMore(ticketID, "Hello?")
        yield* Effect.promise(async () => {
          const message = page.locator(`[data-message="${messageID}"]`)
          await message.getByText("Z heating").waitFor()
          await message.getByRole("button", { name: "Topics" }).click()
          expect(await page.getByLabel("Z heating").isChecked()).toBe(true)
          await page.getByLabel("A topic 7", { exact: true }).check()
          await page.getByRole("button", { name: "Save topics" }).click()
          await page.getByText("Topics saved.").waitFor()
        })
        const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId: ticketID } })
        expect(items[0]?.topics.map(({ topicName }) => topicName).toSorted()).toEqual(["A topic 7", "Z heating"])
      })
    )

    it.scoped("messages that arrive during a request are shown right after it", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("One")
        const { page } = yield* atTheDesk
        const held = yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          return holdAnswer(page, listCall)
        })
        yield* sayMore(ticketID, "Two")
        yield* Effect.promise(() => held.asked)
        yield* sayMore(ticketID, "Three")
        yield* Effect.promise(async () => {
          held.letGo()
          await said(page, "Two")
          await said(page, "Three")
        })
      })
    )

    it.scoped("the open ticket and the inbox keep up while other messages pour in", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Is it quiet there?")
        const other = yield* question("A noisy one")
        const { page } = yield* deskWindow
        const heard = hearEvents(page)
        yield* Effect.promise(async () => {
          await page.clock.install()
          await logIn(page)
          await openTicket(page, ticketID)
          await said(page, "Is it quiet there?")
          await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 10_000)
        })
        const late = yield* sayMore(ticketID, "Listen!")
        const fresh = yield* question("I am new here")
        for (const noise of ["Knock", "Knock knock", "Bang", "Boom", "Crash"]) {
          yield* sayMore(other.ticketID, noise)
          yield* Effect.promise(async () => {
            await heard(`"${noise}"`)
            await page.clock.runFor(200)
          })
        }
        yield* Effect.promise(async () => {
          await page.locator(`[data-message="${late.messageID}"]`).waitFor()
          await page.locator(`.item[href="#/tickets/${fresh.ticketID}"]`).waitFor()
        })
      })
    )

    it.scoped("long names fit or end in an ellipsis", () =>
      Effect.gen(function* () {
        const { ticketMessagesOnPhone, tickets } = yield* clientOf("acme-admin")
        const name = "Maximiliana".repeat(14)
        const { ticketID } = yield* question(name, { fromName: name })
        const customFieldsData = { [name.slice(0, 90)]: name, visitorEmail: "eva@mail.example" }
        yield* tickets.updateTicket({ path: { id: ticketID }, payload: { customFieldsData } })
        yield* ticketMessagesOnPhone.createTicketMessage({ payload: { ticketID, pageScreenshot: "nothing else" } })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("tab", { name: "Details" }).click()
          await page.locator(".item .name").getByText(name).waitFor()
          await page.locator(".about").getByText(name).last().waitFor()
          await page.locator(".row").getByText("Email left in the chat").waitFor()
          await said(page, "No text")
          const heading = page.locator("h1")
          expect(await heading.getAttribute("title")).toBe(name)
          expect(await heading.evaluate(({ clientHeight }) => clientHeight > 30 && clientHeight < 60)).toBe(true)
          for (const place of [".inbox .scroll", ".talk .scroll", ".side-panel", ".about p"]) {
            const [inside, outside] = await page
              .locator(place)
              .evaluate(({ clientWidth, scrollWidth }) => [scrollWidth, clientWidth])
            expect([place, inside]).toEqual([place, outside])
          }
        })
      })
    )

    it.scoped("a failed undo is reported", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Can I pay by card?")
        const { complaints, page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Close", exact: true }).click()
          await page.getByRole("button", { name: "Reopen" }).waitFor()
          await breakLine(page, ticketCall)
          await page.getByRole("button", { name: "Undo" }).click()
          await page.getByText("The service cannot be reached.").waitFor()
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("an escalated ticket that was closed by mistake is reopened without a second escalation", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("I want a person")
        const { ticketMessages, tickets } = yield* clientOf("acme-admin")
        yield* ticketMessages.escalateMessage({ path: { id: messageID }, payload: {} })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Close", exact: true }).click()
          await page.getByRole("button", { name: "Reopen as Open" }).click()
          await page.getByText("Ticket reopened. It is no longer escalated.").waitFor()
        })
        const { status } = yield* tickets.getTicket({ path: { id: ticketID } })
        const sql = yield* SqlClient.SqlClient
        const escalations = yield* sql`select kind from event
          where customer_id = 1 and ticket_id = ${ticketID} and kind in ('TicketEscalated', 'MessageEscalated')`
        expect([status, escalations.length]).toEqual(["Open", 1])

        // What an automation did because of the spam is taken back with it, what a person did is not.
        const state = Effect.map(tickets.getTicket({ path: { id: ticketID } }), (now) => [now.status, now.isSpam])
        const update = (payload: TicketUpdate) => tickets.updateTicket({ path: { id: ticketID }, payload })
        yield* update({ status: "Pending" })
        const press = (name: string) => page.locator(".ticket-head").getByRole("button", { name, exact: true }).click()
        const undo = page.getByRole("button", { name: "Undo" })
        yield* Effect.promise(async () => {
          await page.locator(".about .status-pending").waitFor()
          await press("Spam")
          await undo.focus()
        })
        yield* update({ status: "Closed" })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Reopen" }).waitFor()
          await undo.click()
          await page.locator(".about .status-pending").waitFor()
        })
        expect(yield* state).toEqual(["Pending", false])
        yield* Effect.promise(async () => {
          await press("Close")
          await undo.focus()
        })
        yield* ticketMessages.escalateMessage({ path: { id: messageID }, payload: {} })
        yield* Effect.promise(async () => {
          await page.locator(".about .status-escalated").waitFor()
          await undo.click()
          await page.getByText("The ticket has changed in the meantime.").waitFor()
        })
        expect(yield* state).toEqual(["Escalated", false])
      })
    )

    it.scoped("a ticket that was deleted elsewhere disappears", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Delete me")
        const { tickets } = yield* clientOf("acme-admin")
        const { page } = yield* atTheDesk
        yield* Effect.promise(() => openTicket(page, ticketID))
        yield* tickets.deleteTicket({ path: { id: ticketID } })
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Spam", exact: true }).last().click()
          await page.getByText("Ticket not found").waitFor()
          await page.locator(".item").filter({ hasText: "Delete me" }).waitFor({ state: "detached" })
        })
      })
    )

    it.scoped("a summary arrives even if something happened meanwhile", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("The tap drips")
        const { page } = yield* atTheDesk
        const held = yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("tab", { name: "Details" }).click()
          const summary = await holdAnswer(page, calls("GET", /summary/i))
          await page.getByRole("button", { name: "Summarise conversation" }).click()
          await summary.asked
          return summary
        })
        yield* sayMore(ticketID, "And it is loud")
        yield* Effect.promise(async () => {
          await said(page, "And it is loud")
          expect(await page.locator(".summary").textContent()).toBe("Summarising…")
          held.letGo()
          await page.locator(".summary").filter({ hasNotText: "Summarising…" }).waitFor()
          expect(await page.locator(".summary").textContent()).not.toBe("")
        })
      })
    )

    it.scoped("an invalid address is reported as such", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("I want to talk to somebody")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Escalate", exact: true }).click()
          expect(await page.getByLabel("Comment (optional)").getAttribute("aria-describedby")).not.toBeNull()
          await page.getByLabel("Email address to notify").fill("nobody")
          await page.getByRole("dialog").getByRole("button", { name: "Escalate" }).click()
          await page.getByText("email must be an e-mail address.").waitFor()
        })
      })
    )

    it.scoped("names that did not load at first are requested again", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Who looks after me?")
        const { representatives, tickets } = yield* clientOf("acme-admin")
        const { items } = yield* representatives.listCustomerReps({ urlParams: {} })
        const agent = items.find(({ username }) => username === "acme-agent")?.customerRepID ?? null
        yield* tickets.updateTicket({ path: { id: ticketID }, payload: { customerRepID: agent } })
        const { page } = yield* deskWindow
        const line = yield* Effect.promise(async () => {
          const broken = await breakLine(page, calls("GET", /^\/customerReps$/))
          await logIn(page)
          await openTicket(page, ticketID)
          await page.getByRole("tab", { name: "Details" }).click()
          await page.locator("option:checked").getByText(`#${agent}`, { exact: true }).waitFor({ state: "attached" })
          return broken
        })
        line.mend()
        yield* sayMore(ticketID, "Hello?")
        yield* Effect.promise(() =>
          page.locator("option:checked").getByText("Acme Agent", { exact: true }).waitFor({ state: "attached" })
        )
      })
    )
  })

inBrowser("At the desk", deskTests)
