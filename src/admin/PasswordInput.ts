import { text } from "node:stream/consumers"
import { Prompt } from "@effect/cli"
import { Config, Effect, Option, Redacted } from "effect"
import { refuse } from "./Refused.ts"

const firstLineOfInput = Effect.promise(() => text(process.stdin)).pipe(
  Effect.map((input) => Redacted.make(input.split(/\r?\n/)[0] ?? ""))
)

/** From ADMIN_PASSWORD, a hidden prompt or a pipe: an argument would be visible to every user of the machine. */
export const readPassword = Effect.gen(function* () {
  const given = yield* Effect.map(
    Config.option(Config.redacted("ADMIN_PASSWORD")),
    Option.filter((value) => Redacted.value(value) !== "")
  )
  const password = Option.isSome(given)
    ? given.value
    : process.stdin.isTTY
      ? yield* Prompt.password({ message: "Password" })
      : yield* firstLineOfInput
  return Redacted.value(password) === ""
    ? yield* refuse("No password was given. Set ADMIN_PASSWORD, pipe the password in, or type it at the prompt.")
    : password
})
