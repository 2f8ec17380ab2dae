import { Effect } from "effect"
import type { Page, Request, Route } from "playwright-core"
import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import { clientOf } from "../../support/TestApp.ts"
import { deskWindow, logIn } from "./People.ts"

/** A representative who sits at the desk. */
export const atTheDesk = Effect.tap(deskWindow, ({ page }) => Effect.promise(() => logIn(page)))

const questionOn =
  (type: "Chat" | "Email") =>
  (message: string, from: { readonly fromName?: string; readonly fromAddress?: string } = {}) =>
    Effect.gen(function* () {
      const { channels, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const channelID = (yield* channels.listChannels()).find(({ channelType }) => channelType === type)?.channelID
      if (channelID === undefined) return yield* Effect.dieMessage(`there is no channel for ${type}`)
      const payload = { channelID, message, subject: message, ...from }
      return yield* ticketMessagesOnPhone.createTicketMessage({ payload })
    })

/** What a customer wrote, on a ticket of its own. */
export const question = questionOn("Chat")

export const mail = (message: string) => questionOn("Email")(message, { fromAddress: "eva@mail.example" })

export const sayMore = (ticketID: TicketID, message: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessagesOnPhone }) =>
    ticketMessagesOnPhone.createTicketMessage({ payload: { ticketID, message } })
  )

export const answer = (id: TicketMessageID, modifiedAnswer: string, username = "acme-agent") =>
  Effect.flatMap(clientOf(username), ({ ticketMessages }) =>
    ticketMessages.sendReply({ path: { id }, payload: { modifiedAnswer } })
  )

/** What the customer was told, oldest first. */
export const answersIn = (ticketId: TicketID) =>
  Effect.gen(function* () {
    const { ticketMessages } = yield* clientOf("acme-admin")
    const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId, pageSize: 200 } })
    return items.filter(({ senderType }) => senderType === "CustomerRep").map(({ message }) => message)
  })

export const openTicket = async (page: Page, ticketID: TicketID) => {
  await page.evaluate(`location.hash = "#/tickets/${ticketID}"`)
  await page.locator(".number").getByText(`#${ticketID}`, { exact: true }).waitFor()
}

export const field = (page: Page) => page.getByLabel("Your answer")

export const sendButton = (page: Page) => page.getByRole("button", { name: "Send", exact: true })

export const said = (page: Page, text: string) => page.locator(".message").getByText(text, { exact: true }).waitFor()

/** Something to wait for that somebody else opens. */
export const makeGate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

type Matches = (request: Request) => boolean

export const calls =
  (method: string, path: RegExp): Matches =>
  (request) =>
    request.method() === method && path.test(new URL(request.url()).pathname)

const intercept = async (page: Page, matches: Matches, handle: (route: Route) => Promise<void>) => {
  await page.route(
    (url) => url.protocol.startsWith("http"),
    (route) => (matches(route.request()) ? handle(route) : route.fallback())
  )
}

/** Keeps the answer to the first such request back: the service has done its work, the page does not know yet. */
export const holdAnswer = async (page: Page, matches: Matches) => {
  const gate = makeGate()
  const [asked, answered] = [makeGate(), makeGate()]
  let isHeld = false
  await intercept(page, matches, async (route) => {
    if (isHeld) return route.continue()
    isHeld = true
    const response = await route.fetch()
    asked.open()
    await gate.opened
    await route.fulfill({ response })
    answered.open()
  })
  return { asked: asked.opened, letGo: gate.open, answered: answered.opened }
}

/** Breaks the line after the service has done the work of the first such request. */
export const loseAnswer = async (page: Page, matches: Matches) => {
  let isLost = false
  await intercept(page, matches, async (route) => {
    if (isLost) return route.continue()
    isLost = true
    await route.fetch()
    return route.abort()
  })
}

/** Breaks the line before anything of such requests arrives, until it is mended. */
export const breakLine = async (page: Page, matches: Matches) => {
  let isBroken = true
  await intercept(page, matches, (route) => (isBroken ? route.abort() : route.continue()))
  return { mend: () => (isBroken = false) }
}

/** From before the page connects: says when it has heard of something. */
export const hearEvents = (page: Page) => {
  const heard: Array<string> = []
  let tell = () => {}
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      heard.push(String(payload))
      tell()
    })
  )
  return async (words: string) => {
    while (!heard.some((frame) => frame.includes(words))) {
      await new Promise<void>((resolve) => {
        tell = resolve
      })
    }
    // The page has it by then.
    await page.evaluate("fetch('/health/live').then(() => true)")
  }
}

/** Everything that has reached the page by now is shown. */
export const settled = (page: Page) =>
  page.evaluate("fetch('/health/live').then(() => new Promise((done) => requestAnimationFrame(done)))")
