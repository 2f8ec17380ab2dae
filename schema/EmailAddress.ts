import { Schema } from "effect"
import { TextUpTo } from "./Fields.ts"

export const EmailAddress = TextUpTo(320).pipe(
  Schema.pattern(/^[^\s@]+@[^\s@]+$/, { message: () => "must be an e-mail address" }),
  Schema.annotations({ arbitrary: () => (fc) => fc.emailAddress() })
)
