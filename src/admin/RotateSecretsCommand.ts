import { Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { counted } from "../platform/text/Counted.ts"
import { refuse } from "./Refused.ts"
import { rotateSecrets } from "./RotateSecrets.ts"

const keyLost = Options.boolean("key-lost").pipe(
  Options.withDescription("Continue with the remaining keys: secrets that they cannot decrypt have to be entered again")
)

export const rotateSecretsCommand = Command.make("rotate-secrets", { keyLost }, ({ keyLost }) =>
  Effect.gen(function* () {
    const { changed, current, unreadable } = yield* rotateSecrets(keyLost)
    yield* Console.log(
      `Re-encrypted ${counted(changed, "secret")} with the first SECRETS_KEY; ${current} already used it.`
    )
    const left = `${unreadable.length} could not be decrypted and remain unchanged: ${unreadable.join(", ")}.`
    if (unreadable.length > 0 && !keyLost) {
      return yield* refuse(
        `${left} Add the key that they were encrypted with to SECRETS_KEY, or run this command with --key-lost if that key is lost.`
      )
    }
    if (unreadable.length > 0) yield* Console.log(`${left} Enter them again.`)
    yield* Console.log("The other keys can now be removed from SECRETS_KEY.")
  })
).pipe(
  Command.withDescription(
    "Re-encrypt every stored secret with the first SECRETS_KEY. All nodes must already have the new key: see the README for the steps."
  )
)
