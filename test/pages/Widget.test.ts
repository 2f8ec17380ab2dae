import { HttpServer } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { WebSocketRoute } from "playwright-core"
import { nextTold, repPeer } from "../hub/HubTools.ts"
import { clientOf, testApp } from "../support/TestApp.ts"
import { barriersInAllLooks } from "./browser/Barriers.ts"
import { Browser, localUrl, openWindow } from "./browser/Browser.ts"
import { makeChatSite } from "./browser/ChatSite.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { arrived, chatWindow, openChat, sayInChat } from "./browser/People.ts"
import { makeLine } from "./browser/Proxy.ts"

const switchedOff = {
  en: "This chat is currently unavailable.",
  de: "Dieser Chat ist derzeit nicht verfügbar.",
  fr: "Cette discussion est indisponible pour le moment.",
  es: "Este chat no está disponible en este momento.",
  ar: "هذه المحادثة غير متاحة حاليًا."
}

const widgetTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("The chat window", (it) => {
    it.scoped("says that its chat was switched off, and stops connecting", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        const { complaints, page } = yield* openWindow(yield* site.siteIn("en"))
        const knocks: Array<string> = []
        yield* Effect.promise(async () => {
          await page.clock.install()
          await page.reload()
          page.on("websocket", (socket) => knocks.push(socket.url()))
          await openChat(page)
          await sayInChat(page, "Before")
          await arrived(page, "Before")
        })
        yield* site.setActive(false)
        yield* Effect.promise(async () => {
          await page.getByText(switchedOff.en).waitFor()
          expect(await page.getByText("Reconnecting").count()).toBe(0)
          expect(await page.getByRole("textbox").getAttribute("readonly")).toBe("")
          expect(await barriersInAllLooks(page)).toEqual([])
          await page.clock.runFor(120_000)
          expect(knocks.length).toBe(1)

          await page.reload()
          await page.getByRole("button", { name: "Open the chat" }).click()
          await page.getByText(switchedOff.en).waitFor()
        })
        yield* site.setActive(true)
        // Opening it again connects again.
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Close the chat" }).last().click()
          await page.getByRole("button", { name: "Open the chat" }).click()
          await page.getByText("We are here to help").waitFor()
          await sayInChat(page, "After")
          await arrived(page, "Before")
          await arrived(page, "After")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("sends nothing that waited when its chat was switched off meanwhile, and does not promise to", () =>
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const line = yield* makeLine(address._tag === "TcpAddress" ? address.port : 0)
        const site = yield* makeChatSite(line.url)
        const { page } = yield* openWindow(yield* site.siteIn("en"))
        yield* Effect.promise(async () => {
          await openChat(page)
          line.cut()
          await page.getByText("No connection. Reconnecting…").waitFor()
          await sayInChat(page, "During")
          await page.getByText("Will be sent when you are back online").waitFor()
        })
        yield* site.setActive(false)
        line.mend()
        yield* Effect.promise(async () => {
          await page.getByText(switchedOff.en).waitFor()
          await page.locator(".line.failed").filter({ hasText: "During" }).getByText("Not sent").waitFor()
          expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0)
        })
      })
    )

    it.scoped("says in each of its languages that its chat was switched off", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        yield* site.delete
        for (const [language, words] of Object.entries(switchedOff)) {
          const { page } = yield* openWindow(yield* site.siteIn(language))
          yield* Effect.promise(async () => {
            await page.getByRole("button").last().click()
            await page.getByText(words).waitFor()
          })
        }
      })
    )

    it.scoped("begins one chat when the connection breaks before the first response", () =>
      Effect.gen(function* () {
        const { complaints, page } = yield* chatWindow
        const desk = yield* repPeer("acme-admin")
        const ends: Array<WebSocketRoute> = []
        let isHushed = false
        yield* Effect.promise(async () => {
          await page.routeWebSocket(/chatHub/, (visitor) => {
            const hub = visitor.connectToServer()
            hub.onMessage((message) => {
              if (!isHushed) visitor.send(message)
            })
            ends.push(visitor, hub)
          })
          await page.reload()
          await openChat(page)
          isHushed = true
          await sayInChat(page, "Say it once")
        })
        expect(yield* nextTold(desk, "MessageReceived")).toMatchObject({ message: "Say it once" })
        yield* Effect.promise(async () => {
          await Promise.all(ends.map((end) => end.close()))
          isHushed = false
          await arrived(page, "Say it once")
          await sayInChat(page, "And this")
          await arrived(page, "And this")
        })
        const { ticketMessages, tickets } = yield* clientOf("acme-admin")
        const chats = yield* tickets.listTickets({ urlParams: { channelType: "Chat" } })
        const begun = chats.items.filter(({ subject }) => subject === "Say it once" || subject === "And this")
        const said = yield* Effect.forEach(begun, ({ ticketID: ticketId }) =>
          ticketMessages.listTicketMessages({ urlParams: { ticketId } })
        )
        expect(said.map(({ items }) => items.map(({ message }) => message))).toEqual([["Say it once", "And this"]])
        expect(complaints).toEqual([])
      })
    )
  })

inBrowser("The chat window", widgetTests)
