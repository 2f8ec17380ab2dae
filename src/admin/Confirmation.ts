import { Options, Prompt } from "@effect/cli"
import { Context, Effect } from "effect"
import { refuse } from "./Refused.ts"

/** Whether there is a person at a terminal who can be asked. */
export class AtTerminal extends Context.Reference<AtTerminal>()("casework/AtTerminal", {
  defaultValue: () => process.stdin.isTTY && process.stdout.isTTY
}) {}

export const yes = Options.boolean("yes").pipe(Options.withDescription("Do not ask for confirmation"))

/** Confirms an action that cannot be undone by having its name typed. */
export const confirmByName = (what: string, name: string) =>
  Effect.gen(function* () {
    if (!(yield* AtTerminal)) return yield* refuse(`${what} Add --yes to confirm: there is no terminal to ask on.`)
    const typed = yield* Prompt.text({ message: `${what} Type "${name}" to confirm` })
    if (typed.trim() !== name) return yield* refuse("The name does not match. Nothing was changed.")
  })

/** Confirms an action that scripts may run unattended: only a person at a terminal is asked. */
export const confirmAtTerminal = (what: string) =>
  Effect.gen(function* () {
    if (!(yield* AtTerminal)) return
    const isMeant = yield* Prompt.confirm({ message: `${what} Continue?`, initial: false })
    if (!isMeant) return yield* refuse("Nothing was changed.")
  })
