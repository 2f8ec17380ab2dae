import { Context, Data, Effect, Layer, Option } from "effect"
import { longestCustomFields } from "../../schema/CustomFields.ts"
import type { BadGateway, BadRequest, Conflict, Forbidden, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, CustomerRepID, DocumentID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import type { Operation } from "../../schema/Operations.ts"
import { DataRetrieval } from "../documents/DataRetrieval.ts"
import { DocumentsRepo } from "../documents/DocumentsRepo.ts"
import { messageValues } from "../documents/MessageContext.ts"
import { MessageContextsRepo } from "../documents/MessageContextsRepo.ts"
import { fillWhole, type Values } from "../documents/Placeholders.ts"
import { firstOf, PlaceholderValues } from "../documents/PlaceholderValues.ts"
import { isRepeatable } from "../documents/RetrievalRequest.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { storable } from "../platform/database/Storable.ts"
import { confirmClaim } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { DraftReplies } from "../ticketMessages/DraftReplies.ts"
import { Escalations } from "../ticketMessages/Escalations.ts"
import { NewMessages } from "../ticketMessages/NewMessages.ts"
import { Replies } from "../ticketMessages/Replies.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { TicketChanges } from "../tickets/TicketChanges.ts"
import type { TicketCommand } from "../tickets/TicketState.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { notifyByMail } from "./NotificationMail.ts"

/** What an action applies to. */
export interface Target {
  readonly customerID: CustomerID
  readonly ticketID: TicketID
  readonly ticketMessageID: TicketMessageID | null
}

/** Why an action had no effect, worded for the people who read the message's trace. */
export class NotDone extends Data.TaggedError("NotDone")<{ readonly message: string }> {}

/** Every operation except waiting, which the runner handles. */
export type Effective = Exclude<Operation, { readonly operation: "Wait" | "None" }>

/** Whether an operation only writes to our database, so that its effect and its record share one transaction. */
export const isTransactional = ({ operation }: Effective) => operation !== "DraftReply" && operation !== "CallApi"

/** Runs each operation through the same function that its route uses. */
export class ActionEffects extends Context.Tag("casework/ActionEffects")<
  ActionEffects,
  {
    readonly run: (target: Target, operation: Effective) => Effect.Effect<void, NotDone>
    /** Whether an interrupted operation may be repeated without anyone noticing. */
    readonly isRepeatable: (target: Target, operation: Effective) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    ActionEffects,
    Effect.suspend(() => make)
  )
}

/** More bytes in a field would make ticket lists slow and the ticket too large to be written back. */
const longestAnswer = 64 * 1024

const notDone = (message: string) => Effect.fail(new NotDone({ message }))

/** What the functions behind the routes may refuse with. */
type Refusal = BadRequest | Forbidden | NotFound | Conflict | BadGateway

/** There is no response to put a status on: only the message matters. */
const inWords = (why: NotDone | Refusal) => (why._tag === "NotDone" ? why : new NotDone({ message: why.message }))

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const tickets = yield* TicketsRepo
  const changes = yield* TicketChanges
  const representatives = yield* RepresentativesRepo
  const escalations = yield* Escalations
  const drafts = yield* DraftReplies
  const replies = yield* Replies
  const newMessages = yield* NewMessages
  const messages = yield* TicketMessagesRepo
  const documents = yield* DocumentsRepo
  const contexts = yield* MessageContextsRepo
  const placeholders = yield* PlaceholderValues
  const retrieval = yield* DataRetrieval
  const events = yield* Events
  const jobs = yield* Jobs

  const command = fn("ActionEffects.command")(function* (
    { customerID, ticketID, ticketMessageID }: Target,
    what: TicketCommand
  ) {
    const locked = yield* tickets.lock(customerID, [ticketID])
    yield* changes.apply(customerID, locked, [what], ticketMessageID ?? undefined)
  }, inTransaction)

  const assign = fn("ActionEffects.assign")(function* (target: Target, customerRepID: CustomerRepID) {
    const found = yield* representatives.find(target.customerID, customerRepID)
    if (Option.isNone(found)) return yield* notDone(`Representative ${customerRepID} no longer exists.`)
    yield* command(target, { _tag: "Assign", customerRepID })
  })

  const ofMessage = ({ ticketMessageID }: Target) =>
    ticketMessageID === null ? notDone("There is no message to apply the action to.") : Effect.succeed(ticketMessageID)

  const findDocument = (customerID: CustomerID, documentID: DocumentID) =>
    Effect.flatMap(
      documents.find(customerID, documentID),
      Option.match({ onNone: () => notDone(`Document ${documentID} no longer exists.`), onSome: Effect.succeed })
    )

  const valuesFor = fn("ActionEffects.valuesFor")(function* ({ customerID, ticketMessageID }: Target) {
    const context = ticketMessageID === null ? Option.none() : yield* contexts.find(customerID, ticketMessageID)
    return Option.match(context, { onNone: (): Values => () => undefined, onSome: messageValues })
  })

  const setField = fn("ActionEffects.setField")(function* (
    { customerID, ticketID }: Target,
    key: string,
    value: string
  ) {
    // A client that reads the ticket could not write it back.
    if (key === "__proto__") return yield* notDone("A custom field cannot be named __proto__.")
    yield* confirmClaim
    const [ticket] = yield* tickets.lock(customerID, [ticketID])
    if (JSON.stringify({ ...ticket?.customFieldsData, [key]: value }).length > longestCustomFields) {
      return yield* notDone(`The ticket would have more than ${longestCustomFields} characters of custom fields.`)
    }
    yield* tickets.setCustomField(customerID, ticketID, key, value)
    yield* events.record(customerID, [{ kind: "TicketChanged", ticketID }])
  }, inTransaction)

  /** The end user's message that an action is about; an automatic message must not be answered. */
  const questionOf = fn("ActionEffects.questionOf")(function* ({ customerID, ticketMessageID }: Target) {
    const found = ticketMessageID === null ? Option.none() : yield* messages.find(customerID, ticketMessageID)
    return Option.filter(found, ({ isAutomatic, senderType }) => senderType === "EndUser" && !isAutomatic)
  })

  const sendDocument = fn("ActionEffects.sendDocument")(function* (target: Target, documentID: DocumentID) {
    const { customerID, ticketID } = target
    const document = yield* findDocument(customerID, documentID)
    const content = document.content ?? ""
    const values = firstOf(yield* valuesFor(target), yield* placeholders.of(customerID, [content]))
    const message = yield* fillWhole(content, values)
    if (message.trim() === "") return yield* notDone(`The document "${document.name}" is empty.`)
    const answers = Option.getOrUndefined(yield* questionOf(target))
    yield* newMessages.add(customerID, { ticketID, senderType: "CustomerRep", message, answers })
  })

  const callApi = fn("ActionEffects.callApi")(function* (
    target: Target,
    documentID: DocumentID,
    field: string | undefined
  ) {
    const document = yield* findDocument(target.customerID, documentID)
    const answer = yield* retrieval.run(target.customerID, document, yield* valuesFor(target))
    if (answer.status >= 400) return yield* notDone(`The API returned status ${answer.status}.`)
    const value = storable(answer.body)
    const length = Buffer.byteLength(value)
    // Not truncated: half a JSON document is useless.
    if (length > longestAnswer) {
      return yield* notDone(`The API returned ${length} bytes, but a custom field can hold at most ${longestAnswer}.`)
    }
    yield* setField(target, field ?? document.name, value)
  })

  const run = (target: Target, { operation, parameters }: Effective): Effect.Effect<void, NotDone | Refusal> => {
    const { customerID } = target
    switch (operation) {
      case "SetStatus":
        return command(target, { _tag: "SetStatus", status: parameters.status })
      case "CloseTicket":
        return command(target, { _tag: "Close" })
      case "ReopenTicket":
        return command(target, { _tag: "Reopen" })
      case "MarkSpam":
        return command(target, { _tag: "MarkSpam" })
      case "NotSpam":
        return command(target, { _tag: "MarkNotSpam" })
      case "AssignRep":
        return assign(target, parameters.customerRepID)
      case "Escalate":
        return target.ticketMessageID === null
          ? command(target, { _tag: "Escalate" })
          : Effect.asVoid(
              escalations.escalate(
                customerID,
                target.ticketMessageID,
                parameters.email === undefined ? {} : { email: parameters.email }
              )
            )
      case "DraftReply":
        return Effect.flatMap(ofMessage(target), (ticketMessageID) =>
          Effect.flatMap(drafts.prepare(customerID, ticketMessageID), (isPrepared) =>
            isPrepared ? Effect.void : notDone("Nothing was drafted: a person has written an answer.")
          )
        )
      case "SendReply":
        return Effect.flatMap(ofMessage(target), (ticketMessageID) =>
          Effect.asVoid(replies.send({ customerID, customerRepID: null }, ticketMessageID))
        )
      case "SendDocument":
        return sendDocument(target, parameters.documentID)
      case "NotifyEmail":
        return Effect.asVoid(
          jobs.enqueue(notifyByMail, customerID, {
            ticketID: target.ticketID,
            ticketMessageID: target.ticketMessageID,
            to: parameters.to
          })
        )
      case "SetCustomField":
        return setField(target, parameters.key, parameters.value)
      case "CallApi":
        return callApi(target, parameters.documentID, parameters.field)
    }
  }

  return ActionEffects.of({
    run: (target, operation) => Effect.mapError(run(target, operation), inWords),
    isRepeatable: fn("ActionEffects.isRepeatable")(function* ({ customerID }, { operation, parameters }) {
      if (operation !== "CallApi") return true
      const document = yield* documents.find(customerID, parameters.documentID)
      return Option.exists(document, ({ apiMethod }) => isRepeatable(apiMethod))
    })
  })
})
