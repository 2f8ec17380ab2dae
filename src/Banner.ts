import { HttpServer } from "@effect/platform"
import { Console, Effect, Layer, Option } from "effect"
import { AuthRepo } from "./auth/AuthRepo.ts"
import { demoCustomers, demoPassword } from "./demo/DemoContent.ts"
import { Settings } from "./platform/settings/Settings.ts"
import { version } from "./platform/telemetry/Version.ts"

const demoUsername = "acme-admin"

/** What a node answers that only works: it has no pages, and nobody logs in to it. */
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

/** Tells whoever started it where it is. */
export const Banner = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const settings = yield* Settings
    const local = address._tag === "TcpAddress" ? `http://localhost:${address.port}` : address.path
    // A database that had customers of its own has no demo data, and who has removed them has none any more.
    const hasDemo = settings.demo && Option.isSome(yield* (yield* AuthRepo).findByUsername(demoUsername))
    const places = settings.role === "worker" ? ofWorker(local, settings) : ofService(local, settings, hasDemo)
    yield* Console.log(`\nCasework is ready.${places}\n`)
    // For whoever reads the log later: a node that says neither was killed.
    yield* Effect.acquireRelease(
      Effect.annotateLogs(Effect.logInfo("started"), { version, role: settings.role, address: local }),
      () => Effect.logInfo("stopping")
    )
  })
)
