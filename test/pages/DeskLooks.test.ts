import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { Browser } from "./browser/Browser.ts"
import { atTheDesk, mail, openTicket, question, said, sayMore, settled } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  return box ?? { x: 0, y: 0, width: 0, height: 0 }
}

/** The visible share of an element. */
const seenOf = (page: Page, selector: string) =>
  page.evaluate<number>(`new Promise((done) => new IntersectionObserver(([entry], observer) => {
    observer.disconnect()
    done(entry.intersectionRatio)
  }).observe(document.querySelector('${selector}')))`)

const lookTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("The desk on screens of all sizes", (it) => {
    it.scoped("keeps the question visible above a long draft", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* mail("When do I get my deposit back?")
        const { ticketMessages } = yield* clientOf("acme-admin")
        const aiReply = "We look into it.\n\n".repeat(20)
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply } })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await said(page, "When do I get my deposit back?")
          for (const [width, height] of [
            [1280, 600],
            [640, 360],
            [360, 640]
          ] as const) {
            await page.setViewportSize({ width, height })
            await page.reload()
            await said(page, "When do I get my deposit back?")
            await page.getByText("AI draft").waitFor()
            const seen = [await seenOf(page, ".message .bubble"), await seenOf(page, ".reply .primary")]
            expect([width, height, ...seen]).toEqual([width, height, 1, 1])
          }
          // On the lowest screen everything scrolls together, so that its head can be reached as well.
          await page.setViewportSize({ width: 640, height: 360 })
          await page.getByRole("button", { name: "Details" }).scrollIntoViewIfNeeded()
          expect(await seenOf(page, ".ticket-head h1")).toBe(1)
        })
      })
    )

    it.scoped("shows a message that is longer than the screen from its first line", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("The story of my roof")
        yield* sayMore(ticketID, `It began so.\n${"And it went on.\n".repeat(100)}`)
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.getByText("It began so.").waitFor()
          await settled(page)
          const [view, message] = [await boxOf(page, ".talk .scroll"), await boxOf(page, ".message:last-child")]
          expect(message.height).toBeGreaterThan(view.height)
          expect(message.y - view.y).toBeGreaterThanOrEqual(0)
          expect(message.y - view.y).toBeLessThan(60)
        })
      })
    )

    it.scoped("shows every folder", () =>
      Effect.gen(function* () {
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          for (const width of [360, 761, 1000, 1240, 1440]) {
            await page.setViewportSize({ width, height: 700 })
            expect([width, await seenOf(page, ".filters .tab:last-child")]).toEqual([width, 1])
          }
        })
      })
    )

    it.scoped("shows notices above the buttons, and long names on one line", () =>
      Effect.gen(function* () {
        const name = "Maximiliana".repeat(21)
        const { messageID, ticketID } = yield* question("Are you there?", { fromName: name })
        const { ticketMessages } = yield* clientOf("acme-admin")
        yield* ticketMessages.updateTicketMessage({ path: { id: messageID }, payload: { aiReply: "We are" } })
        const { page } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(page, ticketID)
          await page.setViewportSize({ width: 360, height: 640 })
          await page.locator(".about").getByText(name).waitFor()
          expect((await boxOf(page, ".ticket-head")).height).toBeLessThan(140)
          expect((await boxOf(page, ".message .author")).height).toBeLessThan(40)
          await page.getByLabel("Your reply").fill("We are indeed")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByText("Draft saved.").waitFor()
          const toast = await boxOf(page, ".toast")
          const reply = await boxOf(page, ".reply")
          expect(toast.y + toast.height).toBeLessThanOrEqual(reply.y)
        })
      })
    )
  })

inBrowser("The desk on screens of all sizes", lookTests)
