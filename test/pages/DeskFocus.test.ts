import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { quietApp } from "../support/TestApp.ts"
import { barriers, focused, noBarriers } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import {
  answer,
  atTheDesk,
  breakLine,
  calls,
  field,
  openTicket,
  question,
  said,
  sayMore,
  settled
} from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { deskWindow, logIn } from "./browser/People.ts"

const row = (page: Page, ticketID: TicketID) => page.locator(`.item[href="#/tickets/${ticketID}"]`)

/** The address of the row that has the keyboard focus. */
const focusedRow = (page: Page) => page.evaluate<unknown>("document.activeElement?.getAttribute('href')")

const selection = (page: Page) => page.evaluate<unknown>("String(getSelection())")

/** Selects the whole text of a message, as a person does with the mouse. */
const select = (page: Page, messageID: number) =>
  page.evaluate(`getSelection().selectAllChildren(document.querySelector('[data-message="${messageID}"] .bubble'))`)

/** Makes a long conversation by adding so many messages after the first one. */
const talkOn = (messageID: TicketMessageID, messages: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message, created_at)
      select customer_id, ticket_id, channel_id, sender_type, status, 'Number ' || n,
        created_at + n * interval '1 millisecond'
      from ticket_message cross join generate_series(1, ${messages}::int) n
      where customer_id = 1 and ticket_message_id = ${messageID} order by n`
  })

/** How far down the window a message is. */
const heightOf = (page: Page, text: string) =>
  page
    .locator(".message")
    .filter({ has: page.getByText(text, { exact: true }) })
    .evaluate((message) => message.getBoundingClientRect().top)

const focusTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("A keyboard user at the desk", (it) => {
    it.scoped("stays on a ticket in the list when others arrive and when it moves itself", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Is it free?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await row(page, ticketID).focus()
          expect(await focusedRow(page)).toBe(`#/tickets/${ticketID}`)
        })
        const other = yield* question("Another one")
        yield* Effect.promise(async () => {
          await row(page, other.ticketID).waitFor()
          expect(await focusedRow(page)).toBe(`#/tickets/${ticketID}`)
        })
        yield* sayMore(ticketID, "Hello?")
        yield* Effect.promise(async () => {
          await page.locator(`li:first-child > .item.fresh[href="#/tickets/${ticketID}"]`).waitFor()
          expect(await focusedRow(page)).toBe(`#/tickets/${ticketID}`)
          const tab = page.getByRole("button", { name: "Pending", exact: true })
          await tab.focus()
          await page.keyboard.press("Enter")
          await page.locator('.tab[aria-pressed="true"]').getByText("Pending").waitFor()
          expect(await focused(page)).toBe("Pending")
        })
      })
    )

    it.scoped("gets to the heading of a chosen ticket, and back to the list afterwards", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Who is there?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await row(page, ticketID).focus()
          await page.keyboard.press("Enter")
          await said(page, "Who is there?")
          await page.locator("h1:focus").waitFor()
          expect(await focused(page)).toBe("Who is there?")
          await page.setViewportSize({ width: 390, height: 760 })
          await page.getByRole("link", { name: "Back to the inbox" }).click()
          await page.locator(`.item[href="#/tickets/${ticketID}"]:focus`).waitFor()
        })
      })
    )

    it.scoped("is not taken out of a field while a ticket loads", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Slowly")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await page.getByLabel("Search messages and people").focus()
          await openTicket(page, ticketID)
          await said(page, "Slowly")
          expect(await focused(page)).toBe("Search messages and people")
        })
      })
    )

    it.scoped("continues in the answer field after an action on it, and at the heading after an escalation", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("May I paint the wall?")
        const { page } = yield* atTheDesk
        const press = async (name: string) => {
          await page.getByRole("button", { name, exact: true }).focus()
          await page.keyboard.press("Enter")
        }
        const isInField = () => page.locator("#answer:focus").waitFor()
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "May I paint the wall?")
          await page.getByLabel("Your reply").fill("You may")
          await press("Save draft")
          await page.getByText("Draft saved.").waitFor()
          await isInField()
          await press("Discard draft")
          await page.getByText("Draft discarded.").waitFor()
          await isInField()
          await press("Escalate")
          await page.getByRole("dialog").getByRole("button", { name: "Escalate" }).press("Enter")
          await page.getByText("Ticket escalated.", { exact: true }).waitFor()
          await page.locator(".chip.status-escalated").first().waitFor()
          await page.locator("h1:focus").waitFor()
          await page.getByLabel("Your reply").fill("White only")
          await press("Send")
          await page.getByText("Sent.", { exact: true }).waitFor()
          await said(page, "White only")
          await isInField()
        })
      })
    )

    it.scoped("does not lose an undo button that has the focus", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Is it over?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await page.clock.install()
          await openTicket(page, ticketID)
          await page.getByRole("button", { name: "Close", exact: true }).click()
          await page.getByRole("button", { name: "Undo" }).focus()
          await page.clock.fastForward(60_000)
          expect(await focused(page)).toBe("Undo")
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Close", exact: true }).waitFor()
          expect(await page.locator(".toast").count()).toBe(0)
          expect(await page.evaluate("document.activeElement === document.body")).toBe(false)
        })
      })
    )

    it.scoped("moves into a panel over the conversation, and out of it again", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("What do you know of me?")
        const { page } = yield* atTheDesk
        const about = page.getByRole("button", { name: "Details", exact: true })
        yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 1100, height: 700 })
          await openTicket(page, ticketID)
          await said(page, "What do you know of me?")
          expect(await about.getAttribute("aria-expanded")).toBe("false")
          await about.focus()
          await page.keyboard.press("Enter")
          await page.getByRole("tab", { name: "Details" }).waitFor()
          await page.locator('[role="tab"]:focus').waitFor()
          await page.keyboard.press("ArrowRight")
          expect(await focused(page)).toBe("Activity")
          await page.keyboard.press("ArrowLeft")
          expect(await focused(page)).toBe("Details")
          expect(await about.getAttribute("aria-expanded")).toBe("true")
          expect(await page.locator(".talk").evaluate((talk) => talk.matches("[inert]"))).toBe(true)
          await page.keyboard.press("Escape")
          await page.locator(".side").waitFor({ state: "hidden" })
          expect(await focused(page)).toBe("Details")
          await page.getByRole("button", { name: "Activity" }).press("Enter")
          await page.getByRole("button", { name: "Close", exact: true }).last().press("Enter")
          expect(await focused(page)).toBe("Activity")
          await about.click()
          await page.setViewportSize({ width: 1440, height: 900 })
          await page.locator(".talk:not([inert])").waitFor()
          // On a phone, going back leaves the panel and not the ticket.
          await page.setViewportSize({ width: 390, height: 760 })
          await about.click()
          await page.locator(".side").waitFor()
          await page.goBack()
          await page.locator(".side").waitFor({ state: "hidden" })
          await said(page, "What do you know of me?")
        })
      })
    )

    it.scoped("hears what the customer says meanwhile, and that a colleague writes", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Hello", { fromName: "Eva" })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "Hello")
        })
        yield* sayMore(ticketID, "Is anybody listening?")
        yield* Effect.promise(() =>
          page
            .locator(".talk [role=status]")
            .filter({ hasText: /: Is anybody listening\?$/ })
            .waitFor({ state: "attached" })
        )
        const colleague = yield* deskWindow
        yield* Effect.promise(async () => {
          await logIn(colleague.page, "acme-agent")
          await openTicket(colleague.page, ticketID)
          await field(colleague.page).pressSequentially("I am")
          await page.getByText("Acme Agent from your team is typing…").waitFor()
        })
      })
    )

    it.scoped("can read a long conversation from its beginning without losing the place", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("Where it began")
        yield* talkOn(messageID, 400)
        const { complaints, page } = yield* atTheDesk
        const earlier = page.getByRole("button", { name: "Show earlier messages" })
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "Number 400")
          await page.getByText("201 earlier messages are not shown", { exact: true }).waitFor()
          await settled(page)
          await earlier.focus()
          const before = await heightOf(page, "Number 201")
          const line = await breakLine(page, calls("GET", /^\/ticketMessages$/))
          await page.keyboard.press("Enter")
          await page.locator(".toast").getByText("The service cannot be reached.").waitFor()
          line.mend()
          expect(await focused(page)).toBe("Show earlier messages")
          await page.keyboard.press("Enter")
          await page.getByText("1 earlier message is not shown", { exact: true }).waitFor()
          await settled(page)
          expect(await page.locator(".messages > .message").count()).toBe(400)
          expect(Math.abs((await heightOf(page, "Number 201")) - before)).toBeLessThan(5)
          expect(await focused(page)).toBe("Show earlier messages")
        })
        // Messages that arrive meanwhile shift the pages, and still nothing is shown twice.
        yield* sayMore(ticketID, "And now?")
        yield* Effect.promise(async () => {
          await said(page, "And now?")
          await page.getByText("2 earlier messages are not shown", { exact: true }).waitFor()
          await page.keyboard.press("Enter")
          await said(page, "Where it began")
          expect(await page.locator(".messages > .message").count()).toBe(402)
          expect(await earlier.count()).toBe(0)
          expect(await focused(page)).toBe("Conversation")
          await page.evaluate("document.querySelector('.talk .scroll').scrollTop = 0")
        })
        // What comes below the view is said above the answer, and is one press away.
        yield* Effect.promise(() => page.getByRole("button", { name: "New message", exact: true }).waitFor())
        yield* sayMore(ticketID, "Hello?")
        yield* Effect.promise(async () => {
          const news = page.getByRole("button", { name: "2 new messages", exact: true })
          await news.waitFor()
          expect(await barriers(page)).toEqual(noBarriers)
          await news.press("Enter")
          await news.waitFor({ state: "hidden" })
          const view = await page.locator(".talk .scroll").evaluate((scroll) => scroll.getBoundingClientRect())
          const height = await heightOf(page, "And now?")
          expect([height >= view.top, height < view.bottom]).toEqual([true, true])
          expect(await focused(page)).toBe("Conversation")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("keeps the selection and the focus when something happens", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("Copy this number: 4711")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "Copy this number: 4711")
          await page.getByRole("button", { name: "Activity" }).focus()
          await select(page, messageID)
        })
        yield* sayMore(ticketID, "Hello?")
        yield* Effect.promise(async () => {
          await said(page, "Hello?")
          expect(await selection(page)).toBe("Copy this number: 4711")
          expect(await focused(page)).toBe("Activity")
        })
        // The message itself looks different now.
        yield* answer(messageID, "Noted")
        yield* Effect.promise(async () => {
          await said(page, "Noted")
          await page.locator(`[data-message="${messageID}"]`).getByText("Replied").waitFor()
          expect(await selection(page)).toBe("Copy this number: 4711")
          expect(await focused(page)).toBe("Activity")
          await page.getByRole("button", { name: "Close", exact: true }).focus()
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Reopen" }).waitFor()
          expect(await focused(page)).toBe("Reopen")
          await page.getByRole("tab", { name: "Details" }).click()
          await page.getByLabel("Assigned to").focus()
        })
        yield* sayMore(ticketID, "Still there?")
        yield* Effect.promise(async () => {
          await said(page, "Still there?")
          await page.getByRole("button", { name: "Close", exact: true }).waitFor()
          expect(await focused(page)).toMatch(/^Assigned to/)
        })
      })
    )
  })

inBrowser("A keyboard user at the desk", focusTests)
