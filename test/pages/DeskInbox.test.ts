import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import type { TicketID } from "../../schema/Ids.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { barriersInAllLooks, focused } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import { answer, atTheDesk, mail, openTicket, question, said, sayMore } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { logIn } from "./browser/People.ts"

const row = (page: Page, ticketID: TicketID) => page.locator(`.item[href="#/tickets/${ticketID}"]`)

const search = (page: Page) => page.getByLabel("Search messages and people")

const addresses = (page: Page) =>
  page.locator(".item").evaluateAll((links) => links.map((link) => link.getAttribute("href")))

/** The focus is on a command for a selected ticket, which a colleague closes just then. */
const closedByAnother = (folder: string, command: string) =>
  Effect.gen(function* () {
    const { ticketID } = yield* mail("The lift in building ninety-one")
    const { tickets } = yield* clientOf("acme-admin")
    const { page } = yield* atTheDesk
    const bar = page.getByRole("group", { name: "Selected tickets" })
    yield* Effect.promise(async () => {
      await page.getByRole("button", { name: folder, exact: true }).click()
      await page.getByRole("checkbox", { name: `Select #${ticketID} ` }).check()
      await bar.getByRole("button", { name: command, exact: true }).focus()
    })
    yield* tickets.updateTicket({ path: { id: ticketID }, payload: { status: "Closed" } })
    return { bar, page }
  })

const inboxTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("The inbox", (it) => {
    it.scoped("shows the oldest tickets first when asked, and walks through them with the arrow keys", () =>
      Effect.gen(function* () {
        const older = yield* question("The lamp in cellar seventeen is broken")
        const newer = yield* question("The lamp in cellar seventeen is gone")
        const [first, last] = [older, newer].map(({ ticketID }) => `#/tickets/${ticketID}`)
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await search(page).fill("cellar seventeen")
          await page.locator(`li:first-child > [href="${last}"]`).waitFor()
          await page.locator(`li:last-child > [href="${first}"]`).waitFor()
          expect(await addresses(page)).toEqual([last, first])
          const order = page.getByRole("button", { name: "Oldest first" })
          await order.click()
          await page.locator(`li:first-child > [href="${first}"]`).waitFor()
          expect(await addresses(page)).toEqual([first, last])
          expect(await order.getAttribute("aria-pressed")).toBe("true")
          await row(page, older.ticketID).focus()
          for (const [key, address] of [
            ["ArrowDown", last],
            ["ArrowDown", last],
            ["ArrowUp", first]
          ] as const) {
            await page.keyboard.press(key)
            expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(address)
          }
        })
      })
    )

    it.scoped("offers to search all tickets when a folder has no match", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("A parcel named Ozymandias")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Spam", exact: true }).first().click()
          await search(page).fill("Ozymandias")
          await page.getByText("No tickets in Spam match “Ozymandias”.").waitFor()
          expect(await barriersInAllLooks(page)).toEqual([])
          await page.getByRole("button", { name: "Search all tickets" }).click()
          await row(page, ticketID).waitFor()
          const folder = (name: string) =>
            page.locator('.tab[aria-pressed="true"]').getByText(name, { exact: true }).waitFor()
          await folder("All")
          await page.getByLabel("Channel").selectOption("Email")
          await page.getByRole("button", { name: "Oldest first" }).click()
          // In this tab, and until somebody logs out, the same tickets are shown.
          const chosen = async () => [
            await search(page).inputValue(),
            await page.getByLabel("Channel").inputValue(),
            await page.getByRole("button", { name: "Oldest first" }).getAttribute("aria-pressed")
          ]
          await page.reload()
          await row(page, ticketID).waitFor()
          await folder("All")
          expect(await chosen()).toEqual(["Ozymandias", "Email", "true"])
          expect(await addresses(page)).toEqual([`#/tickets/${ticketID}`])
          await page.getByRole("button", { name: "Log out" }).click()
          await logIn(page)
          await folder("To do")
          expect(await chosen()).toEqual(["", "", "false"])
        })
      })
    )

    it.scoped("says in the browser's tab which ticket is open and how many have news", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Which one am I?")
        const other = yield* question("And I?")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await row(page, other.ticketID).waitFor()
          expect(await page.title()).toBe(`#${ticketID} Desk · Casework`)
        })
        yield* sayMore(other.ticketID, "Hello?")
        yield* Effect.promise(async () => {
          await page.locator(`.item.fresh[href="#/tickets/${other.ticketID}"]`).waitFor()
          expect(await page.title()).toBe(`(1) #${ticketID} Desk · Casework`)
          await row(page, other.ticketID).click()
          await page.locator(`.item[aria-current][href="#/tickets/${other.ticketID}"]`).waitFor()
          expect(await page.title()).toBe(`#${other.ticketID} Desk · Casework`)
          await page.getByRole("button", { name: "Log out" }).click()
          expect(await page.title()).toBe("Desk · Casework")
        })
      })
    )

    it.scoped("shows who works on a ticket, which one press takes and another one shows alone", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* question("Who takes me?")
        const other = yield* question("Who takes another?")
        const { complaints, page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "Who takes me?")
          await page.getByRole("button", { name: "Assign to me" }).press("Enter")
          await row(page, ticketID).locator(".assignee").getByText("You", { exact: true }).waitFor()
          await page.locator(".about .assignee").getByText("You", { exact: true }).waitFor()
          await page.locator("h1:focus").waitFor()
          await page.locator("option:checked").getByText("Acme Admin (you)").waitFor({ state: "attached" })
          expect(await barriersInAllLooks(page)).toEqual([])
          await row(page, other.ticketID).waitFor()
          await page.getByRole("button", { name: "My tickets only" }).click()
          await row(page, other.ticketID).waitFor({ state: "detached" })
          await row(page, ticketID).waitFor()
        })
        const { tickets } = yield* clientOf("acme-admin")
        expect((yield* tickets.getTicket({ path: { id: ticketID } })).customerRepID).not.toBeNull()
        expect(complaints).toEqual([])
      })
    )

    it.scoped("marks tickets in which the team has had the last word", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* question("Is anybody there?")
        const { page } = yield* atTheDesk
        const mark = row(page, ticketID).getByTitle("Answered")
        yield* Effect.promise(() => row(page, ticketID).waitFor())
        expect(yield* Effect.promise(() => mark.count())).toBe(0)
        yield* answer(messageID, "We are")
        yield* Effect.promise(async () => {
          await mark.waitFor()
          expect(await row(page, ticketID).textContent()).toContain("Answered:")
          expect(await barriersInAllLooks(page)).toEqual([])
        })
        yield* sayMore(ticketID, "And now?")
        yield* Effect.promise(() => mark.waitFor({ state: "detached" }))
      })
    )

    it.scoped("lets a ticket wait as pending, and leads to the customer's other tickets", () =>
      Effect.gen(function* () {
        const older = yield* mail("The first of two letters")
        const { ticketID } = yield* mail("The second of two letters")
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByLabel("Status").selectOption("Pending")
          await page.getByText("Status changed to Pending.").waitFor()
          await page.locator(".about .status-pending").waitFor()
          await page.getByRole("link", { name: "The first of two letters" }).last().click()
          await page.locator(".number").getByText(`#${older.ticketID}`, { exact: true }).waitFor()
          await page.locator(".others").getByText("The second of two letters").waitFor()
        })
        const { tickets } = yield* clientOf("acme-admin")
        expect((yield* tickets.getTicket({ path: { id: ticketID } })).status).toBe("Pending")
      })
    )

    it.scoped("shows as many tickets as can be changed at once, page by page, and says how many there are more", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ticketID } = yield* mail("The gate at pier forty-four is shut")
        yield* sql`
          insert into ticket (customer_id, channel_id, status, subject, last_message_at)
          select customer_id, channel_id, status, 'Pier forty-four, ' || n, last_message_at - n * interval '1 minute'
          from ticket cross join generate_series(1, 509) n where customer_id = 1 and ticket_id = ${ticketID}`
        const { complaints, page } = yield* atTheDesk
        const toast = (text: string) => page.locator(".toast").getByText(text, { exact: true }).waitFor()
        yield* Effect.promise(async () => {
          await search(page).fill("pier forty-four")
          for (const shown of [30, 60, 90, 120, 150, 180, 200, 400]) {
            await page.getByRole("button", { name: `Show more (${shown} of 510)`, exact: true }).click()
          }
          await page.getByText("Showing the newest 500 of 510. Use search to find others.").waitFor()
          expect(new Set(await addresses(page)).size).toBe(500)
          await page.getByRole("checkbox", { name: `Select #${ticketID} The gate` }).check()
          await page.getByRole("button", { name: "Select all 500" }).click()
          await page.getByRole("button", { name: "Close", exact: true }).click()
          await toast("500 tickets closed.")
          await page.getByRole("button", { name: "Undo" }).click()
          await toast("500 tickets reopened.")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("changes all selected tickets at once, and takes it back", () =>
      Effect.gen(function* () {
        const words = "The lift in building ninety"
        const made = yield* Effect.forEach(["stands", "sings", "smells", "shakes"], (does) => mail(`${words} ${does}`))
        const [first, second, third, fourth] = made.map(({ ticketID }) => ticketID)
        if (first === undefined || second === undefined || third === undefined || fourth === undefined) {
          return expect.fail("four tickets")
        }
        const { tickets } = yield* clientOf("acme-admin")
        const states = Effect.forEach(made, ({ ticketID }) =>
          Effect.map(tickets.getTicket({ path: { id: ticketID } }), ({ isSpam, status }) => (isSpam ? "Spam" : status))
        )
        const { complaints, page } = yield* atTheDesk
        const box = (ticketID: TicketID) => page.getByRole("checkbox", { name: `Select #${ticketID} ` })
        const bar = page.getByRole("group", { name: "Selected tickets" })
        const press = (name: string) => bar.getByRole("button", { name, exact: true }).click()
        const toast = (text: string) => page.locator(".toast").getByText(text, { exact: true }).waitFor()

        yield* Effect.promise(async () => {
          await search(page).fill("building ninety")
          await page.locator(".item").nth(4).waitFor({ state: "detached" })
          await row(page, first).waitFor()
          expect(await bar.isVisible()).toBe(false)
          await box(second).click()
          await box(fourth).click({ modifiers: ["Shift"] })
          await bar.getByText("3 selected").waitFor()
          expect(await box(first).isChecked()).toBe(false)
          expect(await barriersInAllLooks(page)).toEqual([])
          await press("Close")
          await toast("3 tickets closed.")
          await row(page, fourth).waitFor({ state: "detached" })
          await bar.waitFor({ state: "hidden" })
          // The button that had the focus has gone.
          await page.locator(".tab:focus").getByText("To do", { exact: true }).waitFor()
        })
        expect(yield* states).toEqual(["Open", "Closed", "Closed", "Closed"])

        const undo = page.getByRole("button", { name: "Undo" })
        yield* Effect.promise(() => undo.focus())
        yield* tickets.updateTicket({ path: { id: second }, payload: { status: "Pending" } })
        yield* Effect.promise(async () => {
          await undo.click()
          await toast("2 tickets reopened. 1 ticket changed in the meantime.")
          await row(page, fourth).waitFor()
          await box(first).focus()
          await page.keyboard.press("Space")
          await press("Select all 4")
          await bar.getByText("4 selected").waitFor()
          await page.keyboard.press("Escape")
          await bar.waitFor({ state: "hidden" })
          await box(first).check()
          await box(second).check()
        })
        // Somebody else closes one of the two: what has left the list is no longer selected.
        yield* tickets.updateTicket({ path: { id: second }, payload: { status: "Closed" } })
        yield* Effect.promise(async () => {
          await bar.getByText("1 selected").waitFor()
          await press("Spam")
          await toast("1 ticket moved to spam.")
          await undo.focus()
        })
        // As an automation does.
        yield* tickets.updateTicket({ path: { id: first }, payload: { status: "Closed" } })
        yield* Effect.promise(async () => {
          await undo.click()
          await toast("1 ticket moved out of spam.")
          await box(first).check()
          await press("Spam")
          await toast("1 ticket moved to spam.")
          await row(page, first).waitFor({ state: "detached" })
          await page.getByRole("button", { name: "Spam", exact: true }).first().click()
          await box(first).check()
          await press("Not spam")
          await toast("1 ticket moved out of spam.")
          await page.getByRole("button", { name: "To do" }).click()
          await box(third).check()
          await press("Assign to me")
          await row(page, third).locator(".assignee").getByText("You", { exact: true }).waitFor()
        })
        expect(yield* states).toEqual(["Open", "Closed", "Open", "Open"])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("keeps the focus on a command that becomes its opposite", () =>
      Effect.gen(function* () {
        const { bar, page } = yield* closedByAnother("All", "Close")
        yield* Effect.promise(async () => {
          await bar.getByRole("button", { name: "Reopen" }).waitFor()
          expect(await focused(page)).toBe("Reopen")
        })
      })
    )

    it.scoped("moves the focus to the top when what was selected leaves the list", () =>
      Effect.gen(function* () {
        const { bar, page } = yield* closedByAnother("To do", "Assign to me")
        yield* Effect.promise(async () => {
          await bar.waitFor({ state: "hidden" })
          expect(await focused(page)).toBe("To do")
        })
      })
    )
  })

inBrowser("The inbox", inboxTests)
