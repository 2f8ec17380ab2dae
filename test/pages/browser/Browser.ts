import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { HttpServer } from "@effect/platform"
import { Context, Effect, Layer } from "effect"
import { type BrowserContextOptions, type Browser as Chromium, chromium, type Page } from "playwright-core"
import { portOf } from "../../support/Listening.ts"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The path of a browser for the tests, if one is installed. */
export const browserPath = [process.env["CHROMIUM_PATH"] ?? "", ...places].find((path) => path && existsSync(path))

export class Browser extends Context.Tag("casework/test/Browser")<Browser, Chromium>() {
  static readonly layer = Layer.scoped(
    Browser,
    Effect.acquireRelease(
      Effect.promise(() =>
        chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"], timeout: 300_000 })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
  )
}

/** The service's URL for a browser on the same machine: channels list the host name, not the IP address. */
export const localUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? `http://localhost:${address.port}` : address.path
)

export interface Window {
  readonly page: Page
  /** What the browser reported: broken scripts and violated policies. */
  readonly complaints: ReadonlyArray<string>
}

/** A separate window, as another person on another machine has it. */
export const openWindow = (url: string, options: BrowserContextOptions = {}) =>
  Effect.gen(function* () {
    const browser = yield* Browser
    const context = yield* Effect.acquireRelease(
      Effect.promise(() => browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })),
      (opened) => Effect.promise(() => opened.close())
    )
    return yield* Effect.promise(async (): Promise<Window> => {
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const complaints: Array<string> = []
      page.on("pageerror", (error) => complaints.push(error.message))
      page.on("console", (message) => {
        // The browser itself reports broken connections; only how the page handles them matters.
        if (message.type() === "error" && !/WebSocket|ERR_|status of/.test(message.text())) {
          complaints.push(message.text())
        }
      })
      await page.goto(url)
      return { page, complaints }
    })
  })

/** Somebody else's web site on an origin of its own, with its own policy and intrusive styles. */
export const hostPage = (options: { readonly html: string; readonly styles: string; readonly policy: string }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        const isStyles = request.url === "/site.css"
        response.setHeader("content-type", isStyles ? "text/css" : "text/html; charset=utf-8")
        response.setHeader("content-security-policy", options.policy)
        response.end(isStyles ? options.styles : options.html)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  ).pipe(Effect.map((server) => `http://localhost:${portOf(server)}/`))
