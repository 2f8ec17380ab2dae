import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import type { TicketID } from "../../schema/Ids.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { barriersInAllLooks } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import { atTheDesk, mail, openTicket, question, said, sayMore } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"

const row = (page: Page, ticketID: TicketID) => page.locator(`.item[href="#/tickets/${ticketID}"]`)

const search = (page: Page) => page.getByLabel("Search messages and people")

const addresses = (page: Page) =>
  page.locator(".item").evaluateAll((links) => links.map((link) => link.getAttribute("href")))

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
          await page.locator('.tab[aria-pressed="true"]').getByText("All", { exact: true }).waitFor()
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
  })

inBrowser("The inbox", inboxTests)
