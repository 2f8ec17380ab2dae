import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { repPeer, say } from "../hub/HubTools.ts"
import { testApp } from "../support/TestApp.ts"
import { barriersInAllLooks, focused } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import { makeChatLine } from "./browser/ChatLine.ts"
import { putForward } from "./browser/Clock.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { newestChat } from "./browser/NewestChat.ts"
import { arrived, chatWindow, openChat, sayInChat } from "./browser/People.ts"

const tooLong = "This message is too long."

const input = (page: Page) => page.getByRole("textbox", { name: "Write a message" })

/** Records everything that a screen reader announces in a place from now on. */
const listenTo = (page: Page, place: string) =>
  page.evaluate(`
    said = []
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const { textContent } of addedNodes) said.push(textContent)
    }).observe(document.querySelector("[data-casework-chat]").shadowRoot.querySelector("${place}"), {
      childList: true,
      subtree: true
    })`)

const heard = (page: Page) => page.evaluate<ReadonlyArray<string>>("said")

const withChat = (text: string) =>
  Effect.gen(function* () {
    const { complaints, page } = yield* chatWindow
    const line = yield* Effect.promise(async () => {
      const made = await makeChatLine(page)
      await page.clock.install()
      await page.reload()
      await openChat(page)
      await sayInChat(page, text)
      await arrived(page, text)
      return made
    })
    const { ticketID } = (yield* newestChat).ticket
    return { complaints, line, page, ticketID, agent: yield* repPeer("acme-admin") }
  })

const writingTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("Writing in the chat window", (it) => {
    it.scoped("loses nothing of a long text, and says that it is too long", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* chatWindow
        const text = `${"word ".repeat(1500)}THE END`
        yield* Effect.promise(async () => {
          await openChat(page)
          await input(page).focus()
          await page.keyboard.insertText(text)
          expect(await input(page).inputValue()).toBe(text)
          const alert = page.getByRole("alert").filter({ hasText: tooLong })
          await alert.waitFor()
          expect(await input(page).getAttribute("aria-invalid")).toBe("true")
          expect(await barriersInAllLooks(page)).toEqual([])
          await input(page).press("Enter")
          expect(await input(page).inputValue()).toBe(text)
          expect(await page.locator(".line.visitor").count()).toBe(0)

          await input(page).fill(text.slice(-6000))
          await alert.waitFor({ state: "hidden" })
          expect(await input(page).getAttribute("aria-invalid")).toBe("false")
          await input(page).press("Enter")
          await arrived(page, "THE END")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("keeps an unfinished address while somebody types or answers", () =>
      Effect.gen(function* () {
        const { agent, complaints, page, ticketID } = yield* withChat("My door is stuck")
        const email = page.getByLabel("Your email address")
        yield* Effect.promise(async () => {
          await putForward(page, 30)
          await page.getByRole("button", { name: "Yes", exact: true }).click()
          await page.getByText("One moment, we are looking for somebody").waitFor()
          await putForward(page, 65)
          await email.pressSequentially("eva@")
        })
        yield* agent.invoke("JoinTicket", ticketID)
        yield* agent.invoke("Typing", ticketID)
        yield* Effect.promise(() => page.getByText("Acme Admin is typing").waitFor())
        yield* say(agent, "Or pull.", ticketID)
        yield* Effect.promise(async () => {
          await page.locator(".line.agent").getByText("Or pull.").waitFor()
          await page.keyboard.type("mail.example")
          expect(await email.inputValue()).toBe("eva@mail.example")
          // Also when the field loses the focus for a moment.
          await input(page).focus()
        })
        yield* say(agent, "Or wait.", ticketID)
        yield* Effect.promise(async () => {
          await page.locator(".line.agent").getByText("Or wait.").waitFor()
          await email.press("Enter")
          await page.getByText("Thank you! We will get back to you.").waitFor()
          expect(await focused(page)).toBe("Write a message")
        })
        yield* say(agent, "See you.", ticketID)
        yield* Effect.promise(async () => {
          await page.locator(".line.agent").getByText("See you.").waitFor()
          expect(await page.getByText("Thank you! We will get back to you.").isVisible()).toBe(true)
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("announces each message to screen readers once", () =>
      Effect.gen(function* () {
        const { agent, complaints, page, ticketID } = yield* withChat("Hello")
        yield* Effect.promise(async () => {
          await listenTo(page, "[role=log]")
          await sayInChat(page, "Is it warm?")
          await arrived(page, "Is it warm?")
        })
        for (const text of ["First answer", "Second answer"]) {
          yield* say(agent, text, ticketID)
          yield* Effect.promise(() => page.locator(".line.agent").getByText(text).waitFor())
        }
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Yes, helpful" }).click()
          await page.getByText("Thanks for your feedback.").waitFor()
          const all = await heard(page)
          for (const text of ["Is it warm?", "First answer", "Second answer"]) {
            expect([text, all.filter((one) => one.includes(text)).length]).toEqual([text, 1])
          }
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("keeps the focus in the window when the focused button disappears", () =>
      Effect.gen(function* () {
        const { agent, page, ticketID } = yield* withChat("Hello")
        yield* say(agent, "First answer", ticketID)
        yield* Effect.promise(() => page.getByRole("button", { name: "Yes, helpful" }).focus())
        yield* say(agent, "Second answer", ticketID)
        yield* Effect.promise(async () => {
          await page.locator(".line.agent").getByText("Second answer").waitFor()
          expect(await focused(page)).toBe("Acme Rentals: chat with us")
        })
      })
    )

    it.scoped("continues in the text field after a person was asked for by keyboard", () =>
      Effect.gen(function* () {
        const { page } = yield* withChat("Hello")
        yield* Effect.promise(async () => {
          await putForward(page, 30)
          await page.getByRole("button", { name: "Yes", exact: true }).press("Enter")
          await page.getByText("One moment, we are looking for somebody").waitFor()
          expect(await focused(page)).toBe("Write a message")
        })
      })
    )

    it.scoped("announces a lost connection once, however often it is retried", () =>
      Effect.gen(function* () {
        const { line, page } = yield* withChat("Hello")
        yield* Effect.promise(async () => {
          await listenTo(page, "[role=status]")
          await line.cut()
          await page.getByText("No connection. Reconnecting…").waitFor()
          await line.mendLate()
          await page.getByText("We are here to help").waitFor()
          expect(await heard(page)).toEqual(["No connection. Reconnecting…", "We are here to help"])
        })
      })
    )
  })

inBrowser("Writing in the chat window", writingTests)
