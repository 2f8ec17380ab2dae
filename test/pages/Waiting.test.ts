import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { repPeer, say } from "../hub/HubTools.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { Browser } from "./browser/Browser.ts"
import { putForward } from "./browser/Clock.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { newestChat } from "./browser/NewestChat.ts"
import { arrived, chatWindow, openChat, sayInChat } from "./browser/People.ts"

const offer = "Would you like to talk to a person?"
const search = "One moment, we are looking for somebody"

/** A visitor with a chat that has begun, whose clock can be put forward. */
const openChatWith = (text: string) =>
  Effect.gen(function* () {
    const { complaints, page } = yield* chatWindow
    yield* Effect.promise(async () => {
      await page.clock.install()
      await page.reload()
      await openChat(page)
      await sayInChat(page, text)
      await arrived(page, text)
    })
    const { messages, ticket } = yield* newestChat
    const messageID = messages[0]?.messageID
    if (messageID === undefined) return yield* Effect.dieMessage("nothing arrived")
    return { complaints, messageID, page, ticketID: ticket.ticketID }
  })

const status = (page: Page) => page.locator(".header .status")

const waitingTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("A visitor who waits", (it) => {
    it.scoped("is offered a person again when the one who answered has gone", () =>
      Effect.gen(function* () {
        const { complaints, page, ticketID } = yield* openChatWith("Is my deposit back?")
        const agent = yield* repPeer("acme-admin")
        yield* agent.invoke("JoinTicket", ticketID)
        yield* say(agent, "I will look.", ticketID)
        yield* Effect.promise(async () => {
          await page.locator(".line.agent").getByText("I will look.").waitFor()
          await status(page).getByText("Acme Admin").waitFor()
          await putForward(page, 30)
          await status(page).getByText("We are here to help").waitFor()
          await sayInChat(page, "And?")
          await arrived(page, "And?")
          expect(await page.getByText(offer).count()).toBe(0)
          await putForward(page, 30)
          await page.getByText(offer).waitFor()
        })
        // The same person is back, so the offer is no longer needed.
        yield* agent.invoke("Typing", ticketID)
        yield* Effect.promise(async () => {
          await status(page).getByText("Acme Admin").waitFor()
          await page.getByText(offer).waitFor({ state: "hidden" })
          await putForward(page, 30)
          await page.getByText(offer).waitFor()
          expect(await page.getByText("has joined the chat").count()).toBe(1)
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("does not see the representative of the last chat in the next one", () =>
      Effect.gen(function* () {
        const { page, ticketID } = yield* openChatWith("The lift is stuck")
        const agent = yield* repPeer("acme-admin")
        yield* agent.invoke("JoinTicket", ticketID)
        yield* Effect.promise(() => status(page).getByText("Acme Admin").waitFor())
        const { tickets } = yield* clientOf("acme-admin")
        yield* tickets.deleteTicket({ path: { id: ticketID } })
        yield* Effect.promise(async () => {
          await sayInChat(page, "Hello?")
          await arrived(page, "Hello?")
          await status(page).getByText("We are here to help").waitFor()
          expect(await page.getByText("has joined the chat").count()).toBe(0)
        })
      })
    )

    it.scoped("is asked for an address when nobody comes, and is not interrupted while writing", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* openChatWith("May I paint the walls?")
        yield* repPeer("acme-agent")
        yield* Effect.promise(async () => {
          await putForward(page, 30)
          await page.getByRole("button", { name: "Yes", exact: true }).click()
          await page.getByText(search).waitFor()
          const input = page.getByRole("textbox", { name: "Write a message" })
          await input.fill("By the way")
          await putForward(page, 45)
          await page.clock.runFor(5_000)
          expect(await page.getByText(search).count()).toBe(1)
          await putForward(page, 20)
          const email = page.getByLabel("Your email address")
          await email.waitFor()
          await page.keyboard.type(", green?")
          expect(await input.inputValue()).toBe("By the way, green?")
          await email.fill("eva@mail.example")
          await page.getByRole("button", { name: "Submit" }).click()
          await page.getByText("Thank you! We will get back to you.").waitFor()
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("sees an answer of any length at once", () =>
      Effect.gen(function* () {
        const { messageID, page } = yield* openChatWith("What does the contract say?")
        const { ticketMessages } = yield* clientOf("acme-admin")
        const modifiedAnswer = `It says: ${"whereas ".repeat(50_000)}`
        yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer } })
        yield* Effect.promise(() => page.locator(".line.agent").getByText("It says: whereas").waitFor())
      })
    )
  })

inBrowser("A visitor who waits", waitingTests)
