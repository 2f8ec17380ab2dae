import { HttpServer } from "@effect/platform"
import { Console, Effect, Layer } from "effect"
import { demoPassword } from "./demo/DemoContent.ts"
import { Settings } from "./platform/Settings.ts"

/** Tells whoever started it where it is. */
export const Banner = Layer.effectDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const { baseUrl, demo } = yield* Settings
    const local = address._tag === "TcpAddress" ? `http://localhost:${address.port}` : address.path
    const login = demo ? `\n  Login    username acme-admin, password ${demoPassword}, hostname localhost` : ""
    const chat = demo ? `\n  Chat     ${local}/demo/chat` : ""
    const at = baseUrl === local ? local : `${local} (public: ${baseUrl})`
    yield* Console.log(
      `\nCasework is ready.\n  Address  ${at}\n  Docs     ${local}/docs\n  Desk     ${local}/desk${chat}${login}\n`
    )
  })
)
