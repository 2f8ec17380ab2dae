import { Either, type ParseResult, Schema } from "effect"
import {
  Operation,
  type OperationName,
  type OperationParameters,
  TicketStatus,
  WaitSeconds
} from "../../schema/Operations.ts"

const decodeOperation = Schema.decodeUnknownEither(Operation, { errors: "all" })

/** An operation with its own parameters; those of other operations are left out. */
export const operationOf = (
  operation: OperationName,
  parameters: OperationParameters | null
): Either.Either<Operation, ParseResult.ParseError> => {
  const member = Operation.members.find(({ fields }) => fields.operation.literals[0] === operation)
  const own = Object.entries(parameters ?? {}).filter(([name]) => name in (member?.fields.parameters.fields ?? {}))
  return decodeOperation({ operation, parameters: Object.fromEntries(own) })
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 24 * 3600 }

const plainNames: Readonly<Record<string, Operation["operation"]>> = {
  close: "CloseTicket",
  "close ticket": "CloseTicket",
  reopen: "ReopenTicket",
  "reopen ticket": "ReopenTicket",
  "mark spam": "MarkSpam",
  "mark as spam": "MarkSpam",
  "not spam": "NotSpam",
  "mark not spam": "NotSpam",
  "mark as not spam": "NotSpam",
  escalate: "Escalate",
  "escalate ticket": "Escalate",
  "draft reply": "DraftReply",
  "send reply": "SendReply"
}

const wordsOf = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== "")
    .join(" ")

const waitWords = /^wait (?:for )?(\d+) ?(?:(s)(?:ecs?|econds?)?|(m)(?:ins?|inutes?)?|(h)(?:rs?|ours?)?|(d)(?:ays?)?)?$/

/** For how many seconds a name says to wait, if it does. */
const waitOf = (name: string) => {
  const found = waitWords.exec(wordsOf(name))
  // A hyphen between words is a space, but before a number it may be a minus.
  if (found === null || /\s-\d/.test(name)) return undefined
  const [, number, ...units] = found
  const unit = units.find((one) => one !== undefined) ?? "s"
  return Number(number) * (unitSeconds[unit] ?? 1)
}

const isWait = Schema.is(WaitSeconds)

/** Whether a name says to wait for longer than anything may. */
export const saysTooLongWait = (name: string) => {
  const wait = waitOf(name)
  return wait !== undefined && !isWait(wait)
}

/** The operation that an action's name says in words, for actions that name none. */
export const operationFromName = (name: string): Operation => {
  const words = wordsOf(name)
  const wait = waitOf(name)
  if (isWait(wait)) return { operation: "Wait", parameters: { seconds: wait } }
  const status = /^set status (?:to )?(open|pending|escalated|closed)$/.exec(words)?.[1]
  if (status !== undefined) {
    const found = TicketStatus.literals.find((literal) => literal.toLowerCase() === status)
    if (found !== undefined) return { operation: "SetStatus", parameters: { status: found } }
  }
  const plain = Object.hasOwn(plainNames, words) ? plainNames[words] : undefined
  const decoded = decodeOperation({ operation: plain ?? "None", parameters: {} })
  return Either.getOrElse(decoded, () => ({ operation: "None", parameters: {} }) as const)
}
