import type { Page, WebSocketRoute } from "playwright-core"

/** The line between the chat windows of a page and the hub, which can be cut or carry only one direction. */
export const makeChatLine = async (page: Page) => {
  const ends = new Set<WebSocketRoute>()
  const carries = { questions: true, answers: true }
  let isCut = false
  let knocks = 0
  await page.routeWebSocket(/chatHub/, (visitor) => {
    knocks += 1
    if (isCut) return void visitor.close()
    const hub = visitor.connectToServer()
    ends.add(visitor).add(hub)
    visitor.onMessage((message) => {
      if (carries.questions) hub.send(message)
    })
    hub.onMessage((message) => {
      if (carries.answers) visitor.send(message)
    })
  })
  return {
    carries,
    cut: async () => {
      isCut = true
      const closing = [...ends].map((end) => end.close())
      ends.clear()
      await Promise.all(closing)
    },
    mend: () => {
      isCut = false
    },
    /**
     * Mends the line after three failed attempts, by the page's clock, which then runs no further than to the next one:
     * otherwise the connection would grow old before it is there.
     */
    mendLate: async () => {
      const before = knocks
      while (knocks < before + 3) await page.clock.runFor(10_000)
      isCut = false
      const mended = knocks
      while (knocks === mended) await page.clock.runFor(1_000)
    }
  }
}
