import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { SqlClient } from "@effect/sql"
import { Config, ConfigProvider, Console, Effect, Layer, Option, Redacted } from "effect"
import type { CustomerID } from "../../../schema/Ids.ts"
import { AiRunsRepo } from "../../../src/ai/AiRunsRepo.ts"
import { AiServices } from "../../../src/ai/AiServices.ts"
import { CustomerProfileRepo } from "../../../src/customers/CustomerProfileRepo.ts"
import { CustomerSettings } from "../../../src/customers/CustomerSettings.ts"
import { ModelsRepo } from "../../../src/customers/ModelsRepo.ts"
import { secretPlace } from "../../../src/customers/ProfileColumns.ts"
import { layerFromPGlite, openPGlite } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { Settings } from "../../../src/platform/settings/Settings.ts"
import { prepare } from "../../support/Prepare.ts"
import { acme, newMessage } from "../Messages.ts"
import { evaluate, type Score } from "./Evaluate.ts"
import { thresholds } from "./Thresholds.ts"

const key = Config.option(Config.redacted(Config.nonEmptyString("OPENAI_API_KEY")))

const model = Config.option(Config.nonEmptyString("EVAL_MODEL"))

/** Gives the customer an API key, so that a real model answers: `EVAL_MODEL` where it is set. */
const useRealModel = (customerID: CustomerID, apiKey: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const profiles = yield* CustomerProfileRepo
    const secrets = yield* Secrets
    const customer = yield* profiles.get(customerID)
    const aiProviderApiKey = secrets.encrypt(secretPlace(customerID, "aiProviderApiKey"), Redacted.value(apiKey))
    yield* profiles.update(customerID, { ...customer, aiProviderApiKey })
    const name = yield* model
    if (Option.isSome(name)) yield* sql`update model set name = ${name.value} where not takes_images`
  })

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const line = ({ accuracy, asked, purpose, right }: Score) =>
  `${purpose.padEnd(10)} ${percent(accuracy).padStart(8)}   ${right} of ${asked}, wanted ${percent(thresholds[purpose])}`

const program = Effect.gen(function* () {
  const customerID = yield* acme
  const apiKey = yield* key
  if (Option.isSome(apiKey)) yield* useRealModel(customerID, apiKey.value)
  yield* Console.log(Option.isSome(apiKey) ? "Asking the model behind OPENAI_API_KEY" : "Asking the sandbox")
  const scores = yield* evaluate(customerID, yield* newMessage(customerID, "evaluation"))
  for (const score of scores) {
    yield* Console.log(line(score))
    for (const mistake of score.wrong) yield* Console.log(`  ${mistake}`)
  }
  const failed = scores.filter(({ accuracy, purpose }) => accuracy < thresholds[purpose])
  if (failed.length > 0)
    return yield* Effect.dieMessage(`Below the threshold: ${failed.map((it) => it.purpose).join(", ")}`)
})

/** A database in memory that goes away with the run. */
const Database = layerFromPGlite(openPGlite({})).pipe(Layer.tap((database) => Effect.provide(prepare, database)))

const given = {
  JWT_SECRET: "only-for-this-evaluation-run",
  SECRETS_KEY: "only-for-this-evaluation-run",
  AI_PROVIDER: "sandbox"
}

const Environment = Layer.setConfigProvider(
  ConfigProvider.orElse(ConfigProvider.fromMap(new Map(Object.entries(given))), ConfigProvider.fromEnv)
)

const Services = AiServices.pipe(
  Layer.provideMerge(CustomerSettings.layer),
  Layer.provideMerge(Layer.mergeAll(AiRunsRepo.layer, CustomerProfileRepo.layer, ModelsRepo.layer, Secrets.layer)),
  Layer.provideMerge(Database),
  Layer.provideMerge(Settings.layer),
  Layer.provideMerge(Environment)
)

NodeRuntime.runMain(program.pipe(Effect.provide(Services)))
