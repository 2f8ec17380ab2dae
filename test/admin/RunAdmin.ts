import { Terminal } from "@effect/platform"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Statement } from "@effect/sql"
import { Console, Effect, Exit, Layer, Mailbox, Option } from "effect"
import { commandLine } from "../../src/admin/CommandLine.ts"
import { AtTerminal } from "../../src/admin/Confirmation.ts"
import { sameDatabase } from "../support/SameDatabase.ts"
import { StatementAudit } from "../support/StatementAudit.ts"
import { settingsLayer } from "../support/TestApp.ts"

/** A console that keeps what is printed. */
export const capturedConsole = Effect.gen(function* () {
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

const keyOf = (character: string): Terminal.UserInput => ({
  input: Option.some(character),
  key: { name: character === "\r" ? "enter" : character, ctrl: false, meta: false, shift: false }
})

/** A terminal that types this line at every prompt. */
const terminalTyping = (line: string) =>
  Layer.merge(
    Layer.succeed(AtTerminal, true),
    Layer.succeed(Terminal.Terminal, {
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(true),
      display: () => Effect.void,
      readLine: Effect.succeed(line),
      readInput: Effect.tap(Mailbox.make<Terminal.UserInput>(), (typed) => typed.offerAll([...line, "\r"].map(keyOf)))
    })
  )

export interface AdminOptions {
  readonly settings?: Readonly<Record<string, string>>
  readonly password?: string
  /** The line typed at every prompt; without it there is no terminal. */
  readonly typed?: string
  /** Sees every statement; the statement audit by default. */
  readonly statements?: Statement.Statement.Transformer
}

/** Runs a command as an operator would, on the database of the test, and returns what was printed. */
export const adminWith = (options: AdminOptions, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const database = yield* sameDatabase
    const audit = StatementAudit.pipe(Layer.provide(database), Layer.orDie)
    const { console, errors, output } = yield* capturedConsole
    const password = options.password === undefined ? {} : { ADMIN_PASSWORD: options.password }
    const run = commandLine(database, settingsLayer({ ...options.settings, ...password }))
    const terminal = options.typed === undefined ? Layer.empty : terminalTyping(options.typed)
    // Around the run, not as a layer: when a layer's scope ends, the fiber that goes on may keep its transformer.
    const heard =
      options.statements === undefined ? Effect.provide(audit) : Statement.withTransformer(options.statements)
    const exit = yield* run(["node", "admin", ...words]).pipe(
      heard,
      Effect.provide(Layer.provideMerge(terminal, NodeContext.layer)),
      Console.withConsole(console),
      Effect.exit
    )
    return { succeeded: Exit.isSuccess(exit), output: output.join("\n"), errors }
  })

export const admin = (...words: ReadonlyArray<string>) => adminWith({}, ...words)
