import { HttpApiBuilder, HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import { NotFound } from "../../schema/Errors.ts"
import { demoCustomers } from "../demo/DemoContent.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { type Asset, assetOf, readAsset, serveAsset } from "./Asset.ts"
import { DemoChatRepo } from "./DemoChatRepo.ts"

/** Nothing inline, nothing from other origins, and no text ever becomes a script; mails alone are parsed as HTML. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types mail"
].join("; ")

const html = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": pagePolicy,
  "cache-control": "no-cache"
}

const script = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" }

const styles = { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache" }

/** Other web sites load this script, and check for a new one every five minutes. */
const sharedScript = {
  ...script,
  "cache-control": "public, max-age=300",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*"
}

export const pagePaths = [
  "/widget.js",
  "/desk",
  "/desk/desk.js",
  "/desk/desk.css",
  "/demo/chat",
  "/demo/chat.css"
] as const

const demoLanguages = ["en", "de", "ar"]

/** The demo web site with the chat of the first demo customer in it; ?lang= selects another language for the chat. */
const demoChat = (page: Asset, findToken: Effect.Effect<Option.Option<string>>) =>
  Effect.gen(function* () {
    const token = yield* findToken
    if (Option.isNone(token)) return yield* NotFound.of("There is no route GET /demo/chat.")
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = new URLSearchParams(url.split("?")[1]).get("lang")
    const language = demoLanguages.find((one) => one === asked) ?? "en"
    const text = page.text.replace("{{channelToken}}", token.value).replace("{{language}}", language)
    return yield* serveAsset(assetOf(text), html)
  })

/** The chat window, the demo web site that shows it and the desk of representatives, all served from memory. */
export const Pages = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { demo } = yield* Settings
    const { findToken: find } = yield* DemoChatRepo
    const [{ hostname }] = demoCustomers
    const findToken = demo ? find(hostname) : Effect.succeedNone
    yield* router.get("/widget.js", serveAsset(yield* readAsset("widget.js"), sharedScript))
    yield* router.get("/desk", serveAsset(yield* readAsset("desk.html"), html))
    yield* router.get("/desk/desk.js", serveAsset(yield* readAsset("desk.js"), script))
    yield* router.get("/desk/desk.css", serveAsset(yield* readAsset("desk.css"), styles))
    yield* router.get("/demo/chat", demoChat(yield* readAsset("demo.html"), findToken))
    yield* router.get("/demo/chat.css", serveAsset(yield* readAsset("demo.css"), styles))
  })
).pipe(Layer.provide(DemoChatRepo.layer))
