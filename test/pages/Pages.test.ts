import { buffer } from "node:stream/consumers"
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectError } from "../http/ErrorBody.ts"
import { baseUrl, clientOf, headerOf, send, testApp } from "../support/TestApp.ts"

const pages = ["/desk", "/demo/chat"]
const assets = ["/widget.js", "/desk/desk.js", "/desk/desk.css", "/demo/chat.css"]

/** The bytes as they are sent: fetch would decompress them. */
const raw = (path: string, encoding: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const { get } = await import("node:http")
      return new Promise<{ readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer }>((resolve) => {
        get(base + path, { headers: { "accept-encoding": encoding } }, async (response) => {
          resolve({ headers: response.headers, body: await buffer(response) })
        })
      })
    })
  )

layer(testApp({ DEMO: "true" }), { excludeTestServices: true })("The pages", (it) => {
  it.effect("run no inline code and nothing from elsewhere", () =>
    Effect.gen(function* () {
      for (const path of pages) {
        const { headers, status, text } = yield* send("GET", path)
        expect([path, status, headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"])
        const policy = headerOf({ headers }, "content-security-policy")
        expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
        expect(policy).toContain("require-trusted-types-for 'script'; trusted-types mail")
        expect(policy).not.toMatch(/unsafe|https?:|\*/)
        expect(text).not.toMatch(/<style|style=|\son\w+=|<script>|(?:src|href)="(?:https?:)?\/\//)
        expect(headers.get("set-cookie")).toBeNull()
      }
    })
  )

  it.effect("never turn text into markup or code", () =>
    Effect.gen(function* () {
      for (const path of ["/widget.js"]) {
        const { text } = yield* send("GET", path)
        expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|cookie/)
      }
    })
  )

  it.effect("are sent compressed, and not again to a browser that has them", () =>
    Effect.gen(function* () {
      for (const path of [...pages, ...assets]) {
        const plain = yield* send("GET", path, { headers: { "accept-encoding": "identity" } })
        const gzip = yield* raw(path, "deflate, gzip;q=0.5")
        const brotli = yield* raw(path, "gzip, deflate, br")
        const refused = yield* raw(path, "gzip;q=0, br;q=0.0")
        expect(gunzipSync(gzip.body).toString()).toBe(plain.text)
        expect(brotliDecompressSync(brotli.body).toString()).toBe(plain.text)
        expect(refused.body.toString()).toBe(plain.text)
        expect([gzip, brotli, refused].map(({ headers }) => headers["content-encoding"])).toEqual([
          "gzip",
          "br",
          undefined
        ])
        const etags = new Set([plain.headers.get("etag"), gzip.headers["etag"], brotli.headers["etag"]])
        expect(etags.size).toBe(3)
        const again = yield* send("GET", path, {
          headers: { "accept-encoding": "br", "if-none-match": String(brotli.headers["etag"]) }
        })
        expect([again.status, again.text, again.headers.get("vary")]).toEqual([304, "", "Accept-Encoding"])
      }
    })
  )

  it.effect("let any web site load the chat window, which is small", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* send("GET", "/widget.js", { headers: { origin: "https://shop.example" } })
      expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8")
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin")
      expect(headers.get("access-control-allow-origin")).toBe("*")
      expect(headers.get("cache-control")).toBe("public, max-age=300")
      expect(gzipSync(text).length).toBeLessThan(40_000)
    })
  )

  it.effect("show the chat of the first demo customer", () =>
    Effect.gen(function* () {
      const { channels } = yield* clientOf("acme-admin")
      const chat = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Chat")
      const { text } = yield* send("GET", "/demo/chat")
      expect(text).toContain(`data-channel-token="${chat?.token}"`)
    })
  )

  it.effect("let a chat window call its routes from any web site, and nothing else", () =>
    Effect.gen(function* () {
      const { channels, tickets } = yield* clientOf("acme-admin")
      const chat = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Chat")
      const [ticket] = (yield* tickets.listTickets({ urlParams: { channelType: "Chat" } })).items
      const headers = { origin: "https://shop.example" }
      const open = [
        `/api/ChannelTranslations/resolve?token=${chat?.token}&lang=de`,
        "/api/ChannelTranslations/resolve?token=none",
        `/ticketMessages/${ticket?.ticketToken}/like-dislike?like=true`,
        `/api/ticketMessages/${ticket?.ticketToken}/like-dislike?like=true`
      ]
      for (const path of open) {
        const answer = yield* send("GET", path, { headers })
        expect([path, answer.headers.get("access-control-allow-origin")]).toEqual([path, "*"])
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
      }
      const refused = yield* send("POST", "/chatHub/negotiate?channelToken=none", { headers })
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, headers.origin])
      for (const path of ["/tickets", "/desk", "/demo/chat", "/api/Channels"]) {
        const answer = yield* send("GET", path, { headers })
        expect([path, answer.headers.get("access-control-allow-origin")]).toEqual([path, null])
      }
    })
  )
})

layer(testApp({ CORS_ORIGINS: "https://desk.example" }), { excludeTestServices: true })("Without demo data", (it) => {
  it.effect("there is no demo web site", () =>
    Effect.gen(function* () {
      expectError(yield* send("GET", "/demo/chat"), 404, /no route/)
      expect((yield* send("GET", "/desk")).status).toBe(200)
    })
  )

  it.effect("configured origins and routes that are open to all origins work side by side", () =>
    Effect.gen(function* () {
      const path = "/api/ChannelTranslations/resolve?token=none"
      const known = yield* send("GET", path, { headers: { origin: "https://desk.example" } })
      const other = yield* send("GET", path, { headers: { origin: "https://shop.example" } })
      expect(known.headers.get("access-control-allow-origin")).toBe("https://desk.example")
      expect(other.headers.get("access-control-allow-origin")).toBe("*")
      expect(other.headers.get("vary")).toBe("Origin")
      expect((yield* send("GET", "/widget.js")).headers.get("vary")).toBe("Accept-Encoding, Origin")
    })
  )
})
