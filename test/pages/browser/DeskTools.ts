import { Effect } from "effect"
import type { Page, Request, Route } from "playwright-core"
import type { TicketID, TicketMessageID } from "../../../schema/Ids.ts"
import { clientOf } from "../../support/TestApp.ts"
import { deskWindow, logIn } from "./People.ts"

/** A representative who is logged in at the desk. */
export const atTheDesk = Effect.tap(deskWindow, ({ page }) => Effect.promise(() => logIn(page)))

const questionOn =
  (type: "Chat" | "Email") =>
  (
    message: string,
    rest: { readonly fromName?: string; readonly fromAddress?: string; readonly htmlBody?: string } = {}
  ) =>
    Effect.gen(function* () {
      const { channels, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      const channelID = (yield* channels.listChannels()).find(({ channelType }) => channelType === type)?.channelID
      if (channelID === undefined) return yield* Effect.dieMessage(`there is no channel for ${type}`)
      const payload = { channelID, message, subject: message, ...rest }
      return yield* ticketMessagesOnPhone.createTicketMessage({ payload })
    })

/** A customer's question, in a ticket of its own. */
export const question = questionOn("Chat")

export const mail = (message: string, rest: { readonly htmlBody?: string } = {}) =>
  questionOn("Email")(message, { fromAddress: "eva@mail.example", ...rest })

export const sayMore = (ticketID: TicketID, message: string) =>
  Effect.flatMap(clientOf("acme-admin"), ({ ticketMessagesOnPhone }) =>
    ticketMessagesOnPhone.createTicketMessage({ payload: { ticketID, message } })
  )

export const answer = (id: TicketMessageID, modifiedAnswer: string, username = "acme-agent") =>
  Effect.flatMap(clientOf(username), ({ ticketMessages }) =>
    ticketMessages.sendReply({ path: { id }, payload: { modifiedAnswer } })
  )

/** The answers that the customer got, oldest first. */
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

export const field = (page: Page) => page.getByLabel("Your reply")

export const sendButton = (page: Page) => page.getByRole("button", { name: "Send", exact: true })

export const said = (page: Page, text: string) => page.locator(".message").getByText(text, { exact: true }).waitFor()

/** A promise that is resolved from outside. */
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

/** Holds back the response to the first such request: the service is done, but the page does not know yet. */
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

/** Loses the response to the first such request: the service has done the work. */
export const loseAnswer = async (page: Page, matches: Matches) => {
  let isLost = false
  await intercept(page, matches, async (route) => {
    if (isLost) return route.continue()
    isLost = true
    await route.fetch()
    return route.abort()
  })
}

/** Loses such requests before they reach the service, until the line is mended. */
export const breakLine = async (page: Page, matches: Matches) => {
  let isBroken = true
  await intercept(page, matches, (route) => (isBroken ? route.abort() : route.continue()))
  return { mend: () => (isBroken = false) }
}

/** Listens from before the page connects; the result waits until an event with these words has come. */
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
    // By now the page has it.
    await page.evaluate("fetch('/health/live').then(() => true)")
  }
}

/** Waits until everything that has reached the page is shown. */
export const settled = (page: Page) =>
  page.evaluate("fetch('/health/live').then(() => new Promise((done) => requestAnimationFrame(done)))")
