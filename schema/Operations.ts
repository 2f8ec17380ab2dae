import { Either, ParseResult, Schema } from "effect"
import { EmailAddress } from "./EmailAddress.ts"
import { Text, TextUpTo } from "./Fields.ts"
import { CustomerRepID, DocumentID } from "./Ids.ts"

export const TicketStatus = Schema.Literal("Open", "Pending", "Escalated", "Closed").annotations({
  identifier: "TicketStatus"
})
export type TicketStatus = typeof TicketStatus.Type

const seconds = Schema.Int.pipe(Schema.between(0, 30 * 24 * 3600)).annotations({
  message: () => "must be a whole number of seconds, at most 30 days"
})

const key = Text.pipe(
  Schema.pattern(/^(?!__proto__$)[\p{L}\p{N}_.-]{1,100}$/u, {
    message: () => "must be 1 to 100 letters, digits, dots, hyphens or underscores, and not __proto__"
  }),
  Schema.annotations({ arbitrary: () => (fc) => fc.stringMatching(/^[a-z]{1,10}$/) })
)

const optionally = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true, nullable: true })

const operation = <const Name extends string, Fields extends Schema.Struct.Fields>(name: Name, fields: Fields) =>
  Schema.Struct({ operation: Schema.Literal(name), parameters: Schema.Struct(fields) })

/** What an action does when it runs: a closed union. */
export const Operation = Schema.Union(
  operation("Wait", { seconds }),
  operation("SetStatus", { status: TicketStatus }),
  operation("CloseTicket", {}),
  operation("ReopenTicket", {}),
  operation("MarkSpam", {}),
  operation("NotSpam", {}),
  operation("AssignRep", { customerRepID: CustomerRepID }),
  operation("Escalate", { email: optionally(EmailAddress) }),
  operation("DraftReply", {}),
  operation("SendReply", {}),
  operation("SendDocument", { documentID: DocumentID }),
  operation("NotifyEmail", { to: EmailAddress }),
  operation("SetCustomField", { key, value: TextUpTo(10_000) }),
  operation("CallApi", { documentID: DocumentID, field: optionally(key) }),
  operation("None", {})
)
export type Operation = typeof Operation.Type

export const OperationName = Schema.Literal(
  ...Operation.members.map((member) => member.fields.operation.literals[0])
).annotations({ identifier: "OperationName" })
export type OperationName = typeof OperationName.Type

/** The parameters of all operations; which of them belong together is Operation's to say. */
export const OperationParameters = Schema.Struct({
  seconds: optionally(Schema.Number).annotations({ description: "Wait" }),
  status: optionally(Schema.String).annotations({ description: "SetStatus" }),
  customerRepID: optionally(Schema.Number).annotations({ description: "AssignRep" }),
  email: optionally(Schema.String).annotations({ description: "Escalate, optional" }),
  documentID: optionally(Schema.Number).annotations({ description: "SendDocument, CallApi" }),
  to: optionally(Schema.String).annotations({ description: "NotifyEmail" }),
  key: optionally(Schema.String).annotations({ description: "SetCustomField" }),
  value: optionally(Schema.String).annotations({ description: "SetCustomField" }),
  field: optionally(Schema.String).annotations({ description: "CallApi, optional" })
}).annotations({
  identifier: "OperationParameters",
  description: "What the operation needs: only the fields named for it"
})
export type OperationParameters = typeof OperationParameters.Type

const decodeOperation = Schema.decodeUnknownEither(Operation, { errors: "all" })

/** Fails a body whose parameters do not fit its operation, naming each parameter that is wrong. */
export const parametersFitOperation = (body: { readonly operation?: unknown; readonly parameters?: unknown }) => {
  if (body.operation === undefined || body.operation === null) {
    return body.parameters === undefined || body.parameters === null
      ? []
      : [{ path: ["operation"], message: "is required when parameters are given" }]
  }
  const decoded = decodeOperation({ operation: body.operation, parameters: body.parameters ?? {} })
  return Either.isRight(decoded)
    ? []
    : ParseResult.ArrayFormatter.formatErrorSync(decoded.left).map(({ message, path }) => ({ path, message }))
}

/** The same for a change. Where it gives only one of the two, the other is what is stored, and is not seen here. */
export const parametersFitGivenOperation: typeof parametersFitOperation = (body) =>
  body.operation === undefined || (body.operation !== null && body.parameters === undefined)
    ? []
    : parametersFitOperation(body)

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
  if (found === null) return undefined
  const [, number, ...units] = found
  const unit = units.find((one) => one !== undefined) ?? "s"
  return Number(number) * (unitSeconds[unit] ?? 1)
}

const isWait = Schema.is(seconds)

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
