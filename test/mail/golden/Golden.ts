import type { Arriving } from "../../support/GraphServer.ts"
import { type MailParts, mail } from "../../support/Mails.ts"

/** A mail in the shape that a program really produces, and what must become of it. */
export interface GoldenMail {
  readonly name: string
  readonly arriving: Arriving
  /** The mail whose ticket it joins; without it, it opens its own ticket. */
  readonly joins?: string
  /** It becomes no message: it is a copy of one that is there already, or belongs to nobody. */
  readonly skipped?: boolean
  readonly subject?: string | null
  readonly fromAddress?: string | null
  readonly fromName?: string | null
  /** The beginning of its text. */
  readonly text?: string
  /** Nothing that is stored may match this. */
  readonly without?: RegExp
  readonly isAutomatic?: boolean
  readonly files?: ReadonlyArray<string>
}

type Expected = Omit<GoldenMail, "name" | "arriving">

/** Builds the mail from its parts, with fields as odd as the provider sends them. */
export const golden = (
  name: string,
  parts: MailParts,
  expected: Expected,
  odd: Readonly<Record<string, unknown>> = {}
): GoldenMail => {
  const { fields, ...rest } = mail({ subject: name, ...parts })
  return { name, arriving: { ...rest, fields: { ...fields, ...odd } }, ...expected }
}
