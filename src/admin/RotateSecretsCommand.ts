import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { refuse } from "./Refused.ts"
import { rotateSecrets } from "./RotateSecrets.ts"

export const rotateSecretsCommand = Command.make("rotate-secrets", {}, () =>
  Effect.gen(function* () {
    const { changed, current, unreadable } = yield* rotateSecrets
    yield* Console.log(`Encrypted ${changed} secrets anew with the first SECRETS_KEY; ${current} already had it.`)
    if (unreadable.length > 0) {
      return yield* refuse(
        `${unreadable.length} could not be read and stay as they are: ${unreadable.join(", ")}. Add the key they were encrypted with to SECRETS_KEY.`
      )
    }
    yield* Console.log("The other keys can now be taken out of SECRETS_KEY.")
  })
).pipe(
  Command.withDescription(
    "Encrypt every stored secret with the first SECRETS_KEY. Every node must know the new key by then: the README has the steps."
  )
)
