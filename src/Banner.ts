import { HttpServer } from "@effect/platform"
import { Console, Effect, Layer, Option } from "effect"
import { AuthRepo } from "./auth/AuthRepo.ts"
import { demoCustomers, demoPassword } from "./demo/DemoContent.ts"
import { Settings } from "./platform/settings/Settings.ts"
import { version } from "./platform/telemetry/Version.ts"

const demoUsername = "acme-admin"

/** The addresses of a worker node, which has no pages and no login. */
const ofWorker = (local: string, { metricsToken }: typeof Settings.Service) => {
  const metrics = Option.isSome(metricsToken) ? `\n  Metrics  ${local}/metrics` : ""
  return `\n  Health   ${local}/health/ready${metrics}`
}

const ofService = (local: string, { baseUrl, loginLocalhost }: typeof Settings.Service, hasDemo: boolean) => {
  const hostname = loginLocalhost ? "localhost" : demoCustomers[0].hostname
  const login = hasDemo ? `\n  Login    username ${demoUsername}, password ${demoPassword}, hostname ${hostname}` : ""
  const chat = hasDemo ? `\n  Chat     ${local}/demo/chat` : ""
  const at = baseUrl === local ? local : `${local} (public: ${baseUrl})`
  return `\n  Address  ${at}\n  Docs     ${local}/docs\n  Desk     ${local}/desk${chat}${login}`
}

/** Prints where the service can be reached, for the person who started it. */
export const Banner = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const settings = yield* Settings
    const local = address._tag === "TcpAddress" ? `http://localhost:${address.port}` : address.path
    // A database that already had customers was not seeded, and the demo customers may have been removed since.
    const hasDemo = settings.demo && Option.isSome(yield* (yield* AuthRepo).findByUsername(demoUsername))
    const places = settings.role === "worker" ? ofWorker(local, settings) : ofService(local, settings, hasDemo)
    yield* Console.log(`\nCasework is ready.${places}\n`)
    // A node whose log lacks "stopping" was killed.
    yield* Effect.acquireRelease(
      Effect.annotateLogs(Effect.logInfo("started"), { version, role: settings.role, address: local }),
      () => Effect.logInfo("stopping")
    )
  })
)
