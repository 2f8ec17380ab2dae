import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { nextTold, repPeer, say } from "../hub/HubTools.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { Browser, localUrl, openWindow } from "./browser/Browser.ts"
import { makeChatLine } from "./browser/ChatLine.ts"
import { makeChatSite } from "./browser/ChatSite.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { newestChat } from "./browser/NewestChat.ts"
import { arrived, openChat, sayInChat } from "./browser/People.ts"

const queued = "Will be sent when you are back online"

const visitor = Effect.gen(function* () {
  const site = yield* makeChatSite(yield* localUrl)
  const { complaints, page } = yield* openWindow(yield* site.siteIn("en"))
  const line = yield* Effect.promise(async () => {
    const made = await makeChatLine(page)
    await page.reload()
    return made
  })
  return { complaints, line, page }
})

const launcher = (page: Page) => page.locator(".launcher")
const input = (page: Page) => page.getByRole("textbox", { name: "Write a message" })
const own = (page: Page, text: string) => page.locator(".line.visitor").filter({ hasText: text })
const open = (page: Page) => page.getByRole("button", { name: "Open the chat" }).click()

/** Sent and known to the service, even if the window is closed. */
const hasArrived = (page: Page, text: string) =>
  page.locator(".line.visitor[data-message]").filter({ hasText: text }).waitFor({ state: "attached" })

const heard = (page: Page, text: string) =>
  page.locator(".line.agent").filter({ hasText: text }).waitFor({ state: "attached" })

const said = Effect.map(newestChat, ({ messages }) => messages.map(({ message }) => message))

const memoryTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("What a chat window remembers", (it) => {
    it.scoped("includes which answers were read, on every page and in every tab", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitor
        yield* Effect.promise(async () => {
          await openChat(page)
          await sayInChat(page, "Is the pool open?")
          await arrived(page, "Is the pool open?")
        })
        const { ticketID } = (yield* newestChat).ticket
        const agent = yield* repPeer("acme-admin")
        yield* say(agent, "Answer one", ticketID)
        yield* say(agent, "Answer two", ticketID)
        yield* Effect.promise(async () => {
          await heard(page, "Answer two")
          await page.keyboard.press("Escape")
          await page.goto(new URL("/another", page.url()).href)
          await heard(page, "Answer two")
          expect(await launcher(page).getAttribute("aria-label")).toBe("Open the chat")
        })
        yield* say(agent, "Answer three", ticketID)
        yield* Effect.promise(async () => {
          const unread = page.getByRole("button", { name: "Open the chat. New messages: 1" })
          await unread.waitFor()
          await page.reload()
          await unread.waitFor()
          const other = await page.context().newPage()
          await other.goto(page.url())
          await other.getByRole("button", { name: "Open the chat. New messages: 1" }).click()
          await page.getByRole("button", { name: "Open the chat", exact: true }).waitFor()
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("includes half-written text", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitor
        yield* Effect.promise(async () => {
          await openChat(page)
          await input(page).fill("My sink\nhas\nlost its")
          await page.goto(new URL("/another", page.url()).href)
          await openChat(page)
          expect(await input(page).inputValue()).toBe("My sink\nhas\nlost its")
          expect((await input(page).boundingBox())?.height).toBeGreaterThan(60)
          await input(page).press("Enter")
          await arrived(page, "lost its")
          await page.reload()
          await openChat(page)
          expect(await input(page).inputValue()).toBe("")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("includes what waited for the connection, which is sent once", () =>
      Effect.gen(function* () {
        const { complaints, line, page } = yield* visitor
        yield* Effect.promise(async () => {
          await openChat(page)
          await sayInChat(page, "Before")
          await arrived(page, "Before")
          await line.cut()
          await page.getByText("No connection. Reconnecting…").waitFor()
          await sayInChat(page, "During")
          await own(page, "During").getByText(queued).waitFor()
          await page.reload()
          await open(page)
          await own(page, "During").getByText(queued).waitFor()
          // It is sent without opening the window. The previous page is gone, or it would send it while leaving.
          await page.goto(new URL("/another", page.url()).href)
          line.mend()
          await hasArrived(page, "During")
          await page.reload()
          await hasArrived(page, "During")
          expect(await own(page, "During").count()).toBe(1)
        })
        expect(yield* said).toEqual(["Before", "During"])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("includes a first message without a response, which begins one chat", () =>
      Effect.gen(function* () {
        const { line, page } = yield* visitor
        const desk = yield* repPeer("acme-admin")
        yield* Effect.promise(async () => {
          await openChat(page)
          line.carries.answers = false
          await sayInChat(page, "Say it once")
        })
        expect(yield* nextTold(desk, "MessageReceived")).toMatchObject({ message: "Say it once" })
        line.carries.answers = true
        yield* Effect.promise(async () => {
          await page.reload()
          await hasArrived(page, "Say it once")
          await openChat(page)
          await sayInChat(page, "And this")
          await arrived(page, "And this")
          expect(await own(page, "Say it once").count()).toBe(1)
        })
        expect(yield* said).toEqual(["Say it once", "And this"])
      })
    )

    it.scoped("includes a message that did not arrive, even if the same was said before", () =>
      Effect.gen(function* () {
        const { line, page } = yield* visitor
        yield* Effect.promise(async () => {
          await openChat(page)
          await sayInChat(page, "Yes")
          await arrived(page, "Yes")
          line.carries.questions = false
          await sayInChat(page, "Yes")
          await own(page, "Yes").getByText("Sending…").waitFor()
          line.carries.questions = true
          await page.reload()
          await openChat(page)
          await own(page, "Yes").getByText("Not sent").waitFor()
          expect(await own(page, "Yes").count()).toBe(2)
          await page.getByRole("button", { name: "Try again" }).click()
          await page.getByText("Not sent").waitFor({ state: "detached" })
          await page.locator(".line.visitor[data-message] ~ .line.visitor[data-message]").waitFor()
        })
        expect(yield* said).toEqual(["Yes", "Yes"])
      })
    )

    it.scoped("is not sent again by a page that is restored as it was left", () =>
      Effect.gen(function* () {
        const { complaints, line, page } = yield* visitor
        yield* Effect.promise(async () => {
          await openChat(page)
          await line.cut()
          await page.getByText("No connection. Reconnecting…").waitFor()
          await sayInChat(page, "Only here")
          await own(page, "Only here").getByText(queued).waitFor()
          await input(page).fill("And then")
          // As if another page had sent both meanwhile.
          await page.evaluate("sessionStorage.clear()")
          await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
          await own(page, "Only here").waitFor({ state: "detached" })
          expect(await input(page).inputValue()).toBe("")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("includes the chat that another tab has begun since an earlier one was deleted", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitor
        const other = yield* Effect.promise(async () => {
          const tab = await page.context().newPage()
          await tab.goto(page.url())
          await openChat(page)
          await openChat(tab)
          await sayInChat(page, "Is it gone?")
          await arrived(page, "Is it gone?")
          await arrived(tab, "Is it gone?")
          return tab
        })
        const { tickets } = yield* clientOf("acme-admin")
        yield* tickets.deleteTicket({ path: { id: (yield* newestChat).ticket.ticketID } })
        yield* Effect.promise(async () => {
          await sayInChat(page, "Hello again")
          await arrived(page, "Hello again")
          // The same words are a message of their own.
          await sayInChat(other, "Hello again")
          await other.locator(".line.visitor[data-message]").filter({ hasText: "Hello again" }).nth(1).waitFor()
          await sayInChat(other, "And from here")
          await arrived(page, "And from here")
        })
        expect(yield* said).toEqual(["Hello again", "Hello again", "And from here"])
        const agent = yield* repPeer("acme-admin")
        yield* say(agent, "I am here", (yield* newestChat).ticket.ticketID)
        yield* Effect.promise(async () => {
          for (const tab of [page, other]) {
            await tab.reload()
            await heard(tab, "I am here")
          }
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("is shared with other tabs as soon as a chat begins", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* visitor
        yield* Effect.promise(async () => {
          const other = await page.context().newPage()
          await other.goto(page.url())
          const third = await page.context().newPage()
          await third.goto(page.url())
          await openChat(other)
          await openChat(page)
          await sayInChat(page, "Can you see me?")
          await arrived(other, "Can you see me?")
          await hasArrived(third, "Can you see me?")
        })
        expect(complaints).toEqual([])
      })
    )
  })

inBrowser("What a chat window remembers", memoryTests)
