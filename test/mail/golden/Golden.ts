import type { Arriving } from "../../support/GraphServer.ts"
import { type MailParts, mail } from "../../support/Mails.ts"

/** A mail in the shape that a program really produces, and what must become of it. */
export interface GoldenMail {
  readonly name: string
  readonly arriving: Arriving
  /** The mail whose ticket it joins; without it, it opens its own. */
  readonly joins?: string
  /** It is no message of its own: a copy of one that is there already, or nobody's. */
  readonly skipped?: boolean
  readonly subject?: string | null
  readonly fromAddress?: string | null
  readonly fromName?: string | null
  /** The text begins with it. */
  readonly text?: string
  /** No part of it may be in what is stored. */
  readonly without?: RegExp
  readonly isAutomatic?: boolean
  readonly files?: ReadonlyArray<string>
}

type Expected = Omit<GoldenMail, "name" | "arriving">

/** The mail by its parts, and with fields as odd as the provider shows them. */
export const golden = (
  name: string,
  parts: MailParts,
  expected: Expected,
  odd: Readonly<Record<string, unknown>> = {}
): GoldenMail => {
  const { fields, ...rest } = mail({ subject: name, ...parts })
  return { name, arriving: { ...rest, fields: { ...fields, ...odd } }, ...expected }
}
