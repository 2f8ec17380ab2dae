import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { refuse } from "./Refused.ts"
import { rotateSecrets } from "./RotateSecrets.ts"

const keyLost = Options.boolean("key-lost").pipe(
  Options.withDescription("Go on with the keys that are left: what they cannot read has to be entered again")
)

export const rotateSecretsCommand = Command.make("rotate-secrets", { keyLost }, ({ keyLost }) =>
  Effect.gen(function* () {
    const { changed, current, unreadable } = yield* rotateSecrets(keyLost)
    yield* Console.log(`Encrypted ${changed} secrets anew with the first SECRETS_KEY; ${current} already had it.`)
    const left = `${unreadable.length} could not be read and stay as they are: ${unreadable.join(", ")}.`
    if (unreadable.length > 0 && !keyLost) {
      return yield* refuse(
        `${left} Add the key they were encrypted with to SECRETS_KEY, or run it with --key-lost when nobody has it any more.`
      )
    }
    if (unreadable.length > 0) yield* Console.log(`${left} Enter them again.`)
    yield* Console.log("The other keys can now be taken out of SECRETS_KEY.")
  })
).pipe(
  Command.withDescription(
    "Encrypt every stored secret with the first SECRETS_KEY. Every node must know the new key by then: the README has the steps."
  )
)
