import { Options, Prompt } from "@effect/cli"
import { Context, Effect } from "effect"
import { refuse } from "./Refused.ts"

/** Whether there is a person at a terminal who can be asked. */
export class AtTerminal extends Context.Reference<AtTerminal>()("casework/AtTerminal", {
  defaultValue: () => process.stdin.isTTY && process.stdout.isTTY
}) {}

export const yes = Options.boolean("yes").pipe(Options.withDescription("Do not ask whether it is meant"))

/** Confirms an action that cannot be undone by having its name typed. */
export const confirmByName = (what: string, name: string) =>
  Effect.gen(function* () {
    if (!(yield* AtTerminal)) return yield* refuse(`${what} Add --yes: without a terminal nobody can be asked.`)
    const typed = yield* Prompt.text({ message: `${what} Type "${name}" to go on` })
    if (typed.trim() !== name) return yield* refuse("That is not the name. Nothing was changed.")
  })

/** Confirms an action that scripts may run unattended: only a person at a terminal is asked. */
export const confirmAtTerminal = (what: string) =>
  Effect.gen(function* () {
    if (!(yield* AtTerminal)) return
    const isMeant = yield* Prompt.confirm({ message: `${what} Go on?`, initial: false })
    if (!isMeant) return yield* refuse("Nothing was changed.")
  })
