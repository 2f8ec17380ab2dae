import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { WebSocketRoute } from "playwright-core"
import { clientOf, testApp } from "../support/TestApp.ts"
import { barriersInAllLooks } from "./browser/Barriers.ts"
import { Browser, localUrl, openWindow } from "./browser/Browser.ts"
import { makeChatSite } from "./browser/ChatSite.ts"
import { makeGate } from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { arrived, openChat, sayInChat } from "./browser/People.ts"

const notHere = {
  en: "This chat is not available on this website.",
  de: "Dieser Chat ist auf dieser Website nicht verfügbar.",
  fr: "Cette discussion n’est pas disponible sur ce site.",
  es: "Este chat no está disponible en este sitio web.",
  ar: "هذه المحادثة غير متاحة على هذا الموقع."
}

const endsTests = () => {
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("A chat window", (it) => {
    it.scoped("says in each of its languages that it may not be on this web site", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl, "shop.example")
        for (const [language, words] of Object.entries(notHere)) {
          const { page } = yield* openWindow(yield* site.siteIn(language))
          yield* Effect.promise(async () => {
            await page.getByRole("button").last().click()
            await page.getByText(words).waitFor()
          })
        }
      })
    )

    it.scoped("says that it was cut off, and continues when it is opened again", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        const { complaints, page } = yield* openWindow(yield* site.siteIn("en"))
        const hubs: Array<WebSocketRoute> = []
        yield* Effect.promise(async () => {
          await page.routeWebSocket(/chatHub/, (visitor) => {
            hubs.push(visitor.connectToServer())
          })
          await page.reload()
          await openChat(page)
          await sayInChat(page, "Before")
          await arrived(page, "Before")
          // The hub ends a connection for good when it does not understand a message.
          hubs[0]?.send("nonsense\u001e")
          await page.getByText("The chat was interrupted. Close and reopen it to continue.").waitFor()
          expect(await page.getByText("currently unavailable").count()).toBe(0)
          expect(await barriersInAllLooks(page)).toEqual([])
          await page.getByRole("button", { name: "Close the chat" }).last().click()
          await page.getByRole("button", { name: "Open the chat" }).click()
          await page.getByText("We are here to help").waitFor()
          await sayInChat(page, "After")
          await arrived(page, "After")
          await arrived(page, "Before")
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("begins one chat in tabs that start it at the same time", () =>
      Effect.gen(function* () {
        const site = yield* makeChatSite(yield* localUrl)
        const { page } = yield* openWindow(yield* site.siteIn("en"))
        const sending = makeGate()
        const goOn = makeGate()
        yield* Effect.promise(async () => {
          await page.routeWebSocket(/chatHub/, (visitor) => {
            const hub = visitor.connectToServer()
            visitor.onMessage(async (message) => {
              if (String(message).includes("SendMessage")) {
                sending.open()
                await goOn.opened
              }
              hub.send(message)
            })
          })
          const other = await page.context().newPage()
          await other.goto(page.url())
          await page.reload()
          await openChat(page)
          await openChat(other)
          await sayInChat(page, "In the first tab")
          await sending.opened
          await sayInChat(other, "In the second tab")
          await arrived(other, "In the second tab")
          goOn.open()
          await arrived(page, "In the first tab")
          await arrived(other, "In the first tab")
          await sayInChat(other, "Once more")
          await arrived(page, "Once more")
        })
        const { tickets } = yield* clientOf("acme-admin")
        const { items } = yield* tickets.listTickets({ urlParams: { channelIDs: [site.channelID] } })
        expect(items.map(({ subject }) => subject)).toEqual(["In the second tab"])
      })
    )
  })

  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost", HUB_LIMIT_ADDRESS: "1" }), Browser.layer), {
    excludeTestServices: true
  })("A chat window without room", (it) => {
    it.scoped("says so, and connects when there is room", () =>
      Effect.gen(function* () {
        const service = yield* localUrl
        const first = yield* openWindow(`${service}/demo/chat`)
        yield* Effect.promise(() => openChat(first.page))
        const { page } = yield* openWindow(`${service}/demo/chat`)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Open the chat" }).click()
          await page.getByText("All lines are busy. Trying again…").waitFor()
          await first.page.close()
          await page.getByText("We are here to help").waitFor()
        })
      })
    )
  })
}

inBrowser("A chat window", endsTests)
