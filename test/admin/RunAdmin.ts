import * as NodeContext from "@effect/platform-node/NodeContext"
import { SqlClient } from "@effect/sql"
import { Console, Effect, Exit, Layer } from "effect"
import { commandLine } from "../../src/admin/CommandLine.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { settingsLayer } from "../support/TestApp.ts"

/** A console that keeps what is printed. */
const capturedConsole = Effect.gen(function* () {
  const output: Array<string> = []
  const errors: Array<string> = []
  const usual = yield* Console.consoleWith(Effect.succeed)
  return {
    output,
    errors,
    console: {
      ...usual,
      log: (...words: ReadonlyArray<unknown>) => Effect.sync(() => void output.push(words.join(" "))),
      error: (...words: ReadonlyArray<unknown>) => Effect.sync(() => void errors.push(words.join(" ").trim()))
    }
  }
})

export interface AdminOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly password?: string
  /** Something that hears every statement; the audit unless given. */
  readonly statements?: Layer.Layer<never>
}

/** Runs a command as an operator would, on the database of the test, and tells what was printed. */
export const adminWith = (options: AdminOptions, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const database = Layer.succeed(SqlClient.SqlClient, yield* SqlClient.SqlClient)
    const audit = StatementAudit.pipe(Layer.provide(database), Layer.orDie)
    const { console, errors, output } = yield* capturedConsole
    const password = options.password === undefined ? {} : { ADMIN_PASSWORD: options.password }
    const run = commandLine(database, settingsLayer({ ...options.settings, ...password }))
    const exit = yield* run(["node", "admin", ...words]).pipe(
      Effect.provide((options.statements ?? audit).pipe(Layer.provideMerge(NodeContext.layer))),
      Console.withConsole(console),
      Effect.exit
    )
    return { succeeded: Exit.isSuccess(exit), output: output.join("\n"), errors }
  })

export const admin = (...words: ReadonlyArray<string>) => adminWith({}, ...words)
