import { HttpServer } from "@effect/platform"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { clientOf, testApp } from "../support/TestApp.ts"
import { barriers, barriersInAllLooks, focused, noBarriers } from "./browser/Barriers.ts"
import { Browser, hostPage, localUrl, openWindow } from "./browser/Browser.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import { newestChat } from "./browser/NewestChat.ts"
import { arrived, chatWindow, deskWindow, logIn, openChat, sayInChat } from "./browser/People.ts"
import { makeLine } from "./browser/Proxy.ts"

const chatToken = Effect.gen(function* () {
  const { channels } = yield* clientOf("acme-admin")
  const chat = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Chat")
  return (yield* Effect.fromNullable(chat)).token
})

const browserTests = () =>
  layer(Layer.merge(testApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("In real browsers", (it) => {
    it.scoped("the documentation is no wider than the screen of a phone", () =>
      Effect.gen(function* () {
        const { page } = yield* openWindow(`${yield* localUrl}/docs`, { viewport: { width: 390, height: 760 } })
        const width = yield* Effect.promise(async () => {
          await page.getByRole("list", { name: "Responses" }).first().waitFor()
          return page.evaluate<number>("document.documentElement.scrollWidth")
        })
        expect(width).toBe(390)
      })
    )

    it.scoped("a visitor and a representative have a conversation", () =>
      Effect.gen(function* () {
        const visitor = yield* chatWindow
        const desk = yield* deskWindow
        yield* Effect.promise(async () => {
          await logIn(desk.page)
          await openChat(visitor.page)
          await sayInChat(visitor.page, "I lost my key <img src=x onerror=alert(1)>. What does a new one cost?")
          await arrived(visitor.page, "I lost my key <img")

          const fresh = desk.page.locator(".item.fresh")
          await fresh.first().click()
          await desk.page.locator(".message.inbound").getByText("I lost my key <img").waitFor()
          await desk.page.getByText("AI draft").waitFor()
          await desk.page.getByRole("tab", { name: "Activity" }).click()
          await desk.page.getByText("AI: draft reply").waitFor()

          const answer = desk.page.getByLabel("Your reply")
          await answer.focus()
          await visitor.page.getByText("Acme Admin has joined the chat").waitFor()
          await answer.press("End")
          await answer.pressSequentially(" One")
          await visitor.page.getByText("Acme Admin is typing").waitFor()
          await answer.fill("It costs 45 EUR, see https://acme.example/keys")
          await desk.page.getByRole("button", { name: "Send", exact: true }).click()

          await visitor.page.locator(".line.agent").getByText("It costs 45 EUR").waitFor()
          const link = visitor.page.getByRole("link", { name: "https://acme.example/keys" })
          expect(await link.getAttribute("rel")).toContain("noopener")
          await visitor.page.getByRole("button", { name: "Yes, helpful" }).click()
          await visitor.page.getByText("Thanks for your feedback.").waitFor()
          await visitor.page.getByRole("textbox").pressSequentially("Than")
          await desk.page.getByText("The customer is typing").waitFor()
          await sayInChat(visitor.page, "Thank you!")
          await desk.page.locator(".message.inbound").getByText("Thank you!").waitFor()

          await visitor.page.reload()
          await openChatAgain(visitor.page)
          await visitor.page.locator(".line.agent").getByText("It costs 45 EUR").waitFor()
          expect(await visitor.page.locator(".line[data-message]").count()).toBe(3)
          expect(await visitor.page.context().cookies()).toEqual([])

          await desk.page.getByRole("button", { name: "Close", exact: true }).click()
          await desk.page.getByText("Ticket closed.", { exact: true }).waitFor()
        })
        const { messages, ticket } = yield* newestChat
        expect(ticket.status).toBe("Closed")
        expect(messages.map(({ senderType, message }) => [senderType, message])).toEqual([
          ["EndUser", "I lost my key <img src=x onerror=alert(1)>. What does a new one cost?"],
          ["CustomerRep", "It costs 45 EUR, see https://acme.example/keys"],
          ["EndUser", "Thank you!"]
        ])
        expect([visitor.complaints, desk.complaints]).toEqual([[], []])
      })
    )

    it.scoped("a broken connection is shown, and what was written meanwhile arrives once", () =>
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const line = yield* makeLine(address._tag === "TcpAddress" ? address.port : 0)
        const { page } = yield* openWindow(`${line.url}/demo/chat`)
        yield* Effect.promise(async () => {
          await openChat(page)
          await sayInChat(page, "Before")
          await arrived(page, "Before")
          line.cut()
          await page.getByText("No connection. Reconnecting…").waitFor()
          await sayInChat(page, "During")
          await page.getByText("Will be sent when you are back online").waitFor()
          line.mend()
          await page.getByText("We are here to help").waitFor()
          await arrived(page, "During")
        })
        const { messages } = yield* newestChat
        expect(messages.map(({ message }) => message)).toEqual(["Before", "During"])
      })
    )

    it.scoped("a visitor who wants a person while nobody is there leaves an address", () =>
      Effect.gen(function* () {
        const { page } = yield* openWindow(`${yield* localUrl}/demo/chat`, { locale: "de-DE" })
        yield* Effect.promise(async () => {
          await openChat(page)
          // It is about no topic, because a topic's actions would change the ticket, too.
          await sayInChat(page, "The picnic was lovely")
          await arrived(page, "The picnic")
        })
        const { messages } = yield* newestChat
        const { ticketMessages } = yield* clientOf("acme-admin")
        const id = messages[0]?.messageID
        if (id === undefined) return yield* Effect.dieMessage("nothing arrived")
        yield* ticketMessages.sendReply({ path: { id }, payload: { modifiedAnswer: "Turn it up." } })
        yield* Effect.promise(async () => {
          await page.getByText("Turn it up.").waitFor()
          await page.getByRole("button", { name: "No, not helpful" }).click()
          await page.getByText("Would you like to talk to a person?").waitFor()
          await page.getByRole("button", { name: "Yes", exact: true }).click()
          const email = page.getByLabel("Your email address")
          await email.fill("nobody")
          await page.getByRole("button", { name: "Submit" }).click()
          await page.getByText("Please enter a valid e-mail address.").waitFor()
          expect(await barriers(page)).toEqual(noBarriers)
          await email.fill("eva@mail.example")
          await page.getByRole("button", { name: "Submit" }).click()
          await page.getByText("Thank you! We will get back to you.").waitFor()
        })
        expect((yield* newestChat).ticket.status).toBe("Escalated")
      })
    )

    it.scoped("the chat window withstands the styles and the policy of its web site", () =>
      Effect.gen(function* () {
        const service = yield* localUrl
        const sockets = service.replace("http", "ws")
        const url = yield* hostPage({
          html: `<!doctype html><html lang="ar" dir="rtl"><link rel="stylesheet" href="/site.css"><p>مرحبا</p>
              <script src="${service}/widget.js" data-channel-token="${yield* chatToken}" data-theme="dark" data-open></script>`,
          styles:
            "*{color:red!important;font-size:40px!important;position:static!important} div{display:none!important}",
          policy: `default-src 'none'; style-src 'self'; script-src ${service}; connect-src ${service} ${sockets}; require-trusted-types-for 'script'`
        })
        const { complaints, page } = yield* openWindow(url, { colorScheme: "light" })
        yield* Effect.promise(async () => {
          await page.getByText("نحن هنا لمساعدتك").waitFor()
          const input = page.getByRole("textbox")
          await input.fill("فقدت مفتاح شقتي")
          await input.press("Enter")
          await arrived(page, "فقدت مفتاح شقتي")
          const panel = await page.getByRole("dialog").boundingBox()
          expect(panel?.x).toBeLessThan(100)
          expect(panel?.width).toBeGreaterThan(300)
          const bubble = 'document.querySelector("[data-casework-chat]").shadowRoot.querySelector(".visitor .bubble")'
          expect(await page.evaluate(`getComputedStyle(${bubble}).fontSize`)).toBe("15px")
          expect((await barriers(page)).faintTexts).not.toContainEqual(expect.stringContaining("bubble"))
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("the chat window can be operated from the keyboard", () =>
      Effect.gen(function* () {
        const { page } = yield* chatWindow
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Open the chat" }).focus()
          await page.keyboard.press("Enter")
          await page.getByText("We are here to help").waitFor()
          expect(await focused(page)).toBe("Write a message")
          const order: Array<unknown> = []
          for (const _ of [1, 2, 3]) {
            await page.keyboard.press("Shift+Tab")
            order.push(await focused(page))
          }
          expect(order).toEqual(["Acme Rentals: chat with us", "Close the chat", "Close the chat"])
          await page.keyboard.press("Escape")
          expect(await page.getByRole("dialog").count()).toBe(0)
          expect(await focused(page)).toBe("Open the chat")
        })
      })
    )

    it.scoped("every control has a name and every text enough contrast, in light and dark, on desktop and phone", () =>
      Effect.gen(function* () {
        const chat = yield* chatWindow
        const desk = yield* deskWindow
        yield* Effect.promise(async () => {
          expect(await barriersInAllLooks(chat.page)).toEqual([])
          await openChat(chat.page)
          await sayInChat(chat.page, "Hello")
          await arrived(chat.page, "Hello")
          expect(await barriersInAllLooks(chat.page)).toEqual([])
          expect(await barriersInAllLooks(desk.page)).toEqual([])
          await logIn(desk.page)
          await desk.page.locator(".item").first().waitFor()
          expect(await barriersInAllLooks(desk.page)).toEqual([])
          await desk.page.locator(".item").filter({ hasText: "Remboursement" }).click()
          await desk.page.locator(".message").first().waitFor()
          expect(await barriersInAllLooks(desk.page)).toEqual([])
          await desk.page.getByRole("button", { name: "Topics" }).click()
          await desk.page.getByRole("heading", { name: "Edit topics" }).waitFor()
          expect(await barriersInAllLooks(desk.page)).toEqual([])
        })
        expect([chat.complaints, desk.complaints]).toEqual([[], []])
      })
    )
  })

const openChatAgain = async (page: Parameters<typeof openChat>[0]) => {
  await page.getByRole("button", { name: /^Open the chat/ }).click()
  await page.getByText("Acme Admin", { exact: true }).first().waitFor()
}

inBrowser("In real browsers", browserTests)
