import { Schema } from "effect"
import { anyCase, TextUpTo } from "./Fields.ts"

/** How calls to the customer's own API authenticate. */
export const ApiAuthentication = anyCase(["None", "Basic", "Bearer"])
export type ApiAuthentication = typeof ApiAuthentication.Type

/** What can stand in an Authorization header. */
export const ApiToken = TextUpTo(4096).pipe(
  Schema.filter((token) => /^[\x21-\x7e]*$/.test(token), {
    message: () => "must be visible ASCII characters without spaces",
    jsonSchema: {}
  })
)

export const ApiUsername = TextUpTo(1024).pipe(
  Schema.filter((username) => !username.includes(":"), {
    message: () => "must not contain a colon",
    jsonSchema: {}
  })
)
