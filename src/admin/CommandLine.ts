import { CliConfig, Command, ValidationError } from "@effect/cli"
import type { Terminal } from "@effect/platform"
import { Cause, type ConfigError, Console, Effect, Layer } from "effect"
import { PasswordHasher } from "../auth/PasswordHasher.ts"
import { inOneLine, type KnownError } from "../KnownError.ts"
import { FailedMailsRepo } from "../mail/FailedMailsRepo.ts"
import type { Database, DatabaseError } from "../platform/database/Database.ts"
import { migrated } from "../platform/database/Migrate.ts"
import { JobsRepo } from "../platform/queue/JobsRepo.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import type { Settings } from "../platform/settings/Settings.ts"
import { Outbox } from "../platform/systemMail/Outbox.ts"
import { version } from "../platform/telemetry/Version.ts"
import { adminCommands } from "./AdminCommands.ts"
import { customerCommands, repeatedOptions } from "./CustomerCommands.ts"
import { EndUserTools, endUserCommands } from "./EndUserCommands.ts"
import { featureCommands } from "./FeatureCommands.ts"
import { filesCommands } from "./FilesCommands.ts"
import { hostnameCommands } from "./HostnameCommands.ts"
import { mailCommands } from "./MailCommands.ts"
import { migrateCommand } from "./MigrateCommand.ts"
import { modelCommands } from "./ModelCommands.ts"
import { outboxCommands } from "./OutboxCommands.ts"
import { OverviewRepo } from "./OverviewRepo.ts"
import { printedPlainly } from "./PlainConsole.ts"
import { Provisioning } from "./Provisioning.ts"
import { refuse } from "./Refused.ts"
import { rotateSecretsCommand } from "./RotateSecretsCommand.ts"

const Tools = Layer.mergeAll(
  Provisioning.layer.pipe(Layer.provide(PasswordHasher.layer)),
  OverviewRepo.layer,
  FailedMailsRepo.layer,
  JobsRepo.layer,
  Outbox.layer.pipe(Layer.provideMerge(Secrets.layer))
)

type Failure = KnownError | ValidationError.ValidationError | Terminal.QuitException

/** Prints why a command failed. The CLI library has already reported errors in the arguments themselves. */
const sayWhy = (cause: Cause.Cause<Failure>) => {
  const line = inOneLine(
    Cause.flatMap(cause, (error) =>
      ValidationError.isValidationError(error) || error._tag === "QuitException" ? Cause.empty : Cause.fail(error)
    )
  )
  return line === "" ? Effect.void : Console.error(line)
}

/** Finds a repeatable option without a value: the parser silently ignores one whose value is missing or empty. */
const withoutValue = (argv: ReadonlyArray<string>) =>
  argv.find((word, index) => repeatedOptions.includes(word.toLowerCase()) && (argv[index + 1] ?? "").trim() === "")

/** The operator's commands on a database, which is opened when a command runs, not for --help. */
export const commandLine = (
  database: Layer.Layer<Database, DatabaseError, Settings>,
  settings: Layer.Layer<Settings, ConfigError.ConfigError>
) => {
  const tools = Tools.pipe(Layer.provideMerge(migrated(database)), Layer.provide(settings))
  const endUserTools = EndUserTools.pipe(Layer.provideMerge(tools), Layer.provide(settings))
  const run = Command.make("casework").pipe(
    Command.withDescription("Administration of Casework by its operator. Uses the settings of the service."),
    Command.withSubcommands([
      customerCommands.pipe(Command.provide(Layer.merge(tools, settings))),
      hostnameCommands.pipe(Command.provide(tools)),
      featureCommands.pipe(Command.provide(tools)),
      adminCommands.pipe(Command.provide(tools)),
      modelCommands.pipe(Command.provide(tools)),
      outboxCommands.pipe(Command.provide(tools)),
      mailCommands.pipe(Command.provide(Layer.merge(tools, settings))),
      endUserCommands.pipe(Command.provide(endUserTools)),
      filesCommands.pipe(Command.provide(Layer.merge(tools, settings))),
      rotateSecretsCommand.pipe(Command.provide(tools)),
      migrateCommand.pipe(Command.provide(Layer.provide(database, settings)))
    ]),
    Command.run({ name: "Casework admin", version })
  )
  const runUnlessIncomplete = (argv: ReadonlyArray<string>) => {
    const incomplete = withoutValue(argv)
    return incomplete === undefined ? run(argv) : refuse(`${incomplete} needs a value.`)
  }
  return (argv: ReadonlyArray<string>) =>
    runUnlessIncomplete(argv).pipe(
      Effect.tapErrorCause(sayWhy),
      printedPlainly,
      Effect.provide(CliConfig.layer({ showBuiltIns: false }))
    )
}
