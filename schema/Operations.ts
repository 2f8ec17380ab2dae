import { Either, ParseResult, Schema } from "effect"
import { EmailAddress } from "./EmailAddress.ts"
import { Text, TextUpTo } from "./Fields.ts"
import { CustomerRepID, DocumentID } from "./Ids.ts"

export const TicketStatus = Schema.Literal("Open", "Pending", "Escalated", "Closed").annotations({
  identifier: "TicketStatus"
})
export type TicketStatus = typeof TicketStatus.Type

export const WaitSeconds = Schema.Int.pipe(Schema.between(0, 30 * 24 * 3600)).annotations({
  message: () => "must be a whole number of seconds from 0 to 2592000 (30 days)"
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
  operation("Wait", { seconds: WaitSeconds }),
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

/** The parameters of all operations; Operation defines which of them belong together. */
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
  description: "The operation's parameters; each field names the operations that take it"
})
export type OperationParameters = typeof OperationParameters.Type

const decodeOperation = Schema.decodeUnknownEither(Operation, { errors: "all" })

/** The problems of a body whose parameters do not fit its operation, one for each wrong parameter. */
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

/** Like `parametersFitOperation`, for a change: if only one of the two is given, the other is not known here. */
export const parametersFitGivenOperation: typeof parametersFitOperation = (body) =>
  body.operation === undefined || (body.operation !== null && body.parameters === undefined)
    ? []
    : parametersFitOperation(body)
