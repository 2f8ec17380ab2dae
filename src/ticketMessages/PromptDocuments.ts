import { Context, Effect, Layer, Option } from "effect"
import { CurrentCaller } from "../../schema/Authentication.ts"
import type { Forbidden, NotFound } from "../../schema/Errors.ts"
import type { CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { PromptDocument, type PromptDocumentsQuery } from "../../schema/TicketMessageBodies.ts"
import { DataRetrieval } from "../documents/DataRetrieval.ts"
import { DocumentsRepo, type StoredDocument } from "../documents/DocumentsRepo.ts"
import { messageValues } from "../documents/MessageContext.ts"
import { MessageContextsRepo } from "../documents/MessageContextsRepo.ts"
import { fillText, type Values } from "../documents/Placeholders.ts"
import { firstOf, PlaceholderValues } from "../documents/PlaceholderValues.ts"
import { isRepeatable } from "../documents/RetrievalRequest.ts"
import { storable } from "../platform/database/Storable.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { makeCallOnce } from "./CallOnce.ts"
import type { Called } from "./DraftCallsRepo.ts"
import { channelOf, MessageAccess } from "./MessageAccess.ts"
import { PromptDocumentsRepo } from "./PromptDocumentsRepo.ts"
import { type StoredMessage, TicketMessagesRepo } from "./TicketMessagesRepo.ts"

/** A document in the version that a prompt was made with, and its content in that prompt. */
export interface FilledDocument extends Called {
  readonly document: StoredDocument
}

/** The documents that a prompt for a message may draw on. */
export class PromptDocuments extends Context.Tag("casework/PromptDocuments")<
  PromptDocuments,
  {
    /**
     * Runs data retrieval unless it is left out; a failed retrieval is empty and says why. Not inside a transaction: a
     * job records a call that must not be made twice before making it.
     */
    readonly of: (
      customerID: CustomerID,
      message: StoredMessage,
      query: PromptDocumentsQuery
    ) => Effect.Effect<ReadonlyArray<FilledDocument>>
    /** The best documents that have content, and those that failed; retrieves no more data than needed. */
    readonly best: (
      customerID: CustomerID,
      message: StoredMessage,
      most: number
    ) => Effect.Effect<{
      readonly usable: ReadonlyArray<FilledDocument>
      readonly failed: ReadonlyArray<FilledDocument>
    }>
    readonly list: (
      ticketMessageID: TicketMessageID,
      query: PromptDocumentsQuery
    ) => Effect.Effect<ReadonlyArray<PromptDocument>, NotFound | Forbidden, CurrentCaller>
  }
>() {
  static readonly layer = Layer.effect(
    PromptDocuments,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const repo = yield* PromptDocumentsRepo
  const documents = yield* DocumentsRepo
  const messages = yield* TicketMessagesRepo
  const contexts = yield* MessageContextsRepo
  const placeholders = yield* PlaceholderValues
  const retrieval = yield* DataRetrieval
  const access = yield* MessageAccess
  const callOnce = yield* makeCallOnce

  const retrieve = (customerID: CustomerID, document: StoredDocument, values: Values): Effect.Effect<Called> =>
    retrieval.run(customerID, document, values).pipe(
      Effect.match({
        onSuccess: ({ body, status }) =>
          status >= 400
            ? { content: "", error: `The API returned status ${status}.` }
            : { content: storable(body), error: null },
        onFailure: ({ message }) => ({ content: "", error: message })
      })
    )

  const fill = fn("PromptDocuments.fill")(function* (
    customerID: CustomerID,
    { ticketMessageID }: StoredMessage,
    document: StoredDocument,
    values: Values
  ) {
    const { apiMethod, documentID } = document
    if (document.isDataRetrievalProcess) {
      const call = retrieve(customerID, document, values)
      return yield* isRepeatable(apiMethod) ? call : callOnce(customerID, { ticketMessageID, documentID }, call)
    }
    const builtIn = yield* placeholders.of(customerID, [document.content])
    return { content: fillText(document.content ?? "", firstOf(values, builtIn)), error: null }
  })

  /** The documents of a message, best first, and a function that fills them. */
  const prepare = fn("PromptDocuments.prepare")(function* (
    customerID: CustomerID,
    message: StoredMessage,
    { hookName }: PromptDocumentsQuery
  ) {
    const ids = yield* repo.list(customerID, message.ticketMessageID, message, Option.fromNullable(hookName))
    const stored = yield* documents.findMany(customerID, ids)
    const context = yield* contexts.find(customerID, message.ticketMessageID)
    const values: Values = Option.match(context, { onNone: () => () => undefined, onSome: messageValues })
    const fillAll = (wanted: ReadonlyArray<StoredDocument>) =>
      Effect.forEach(
        wanted,
        (document) => Effect.map(fill(customerID, message, document, values), (filled) => ({ document, ...filled })),
        { concurrency: 4 }
      )
    return { stored, fillAll }
  })

  const of = fn("PromptDocuments.of")(function* (
    customerID: CustomerID,
    message: StoredMessage,
    query: PromptDocumentsQuery
  ) {
    const { fillAll, stored } = yield* prepare(customerID, message, query)
    return yield* fillAll(stored.filter((one) => !(query.onlyPromptDocuments && one.isDataRetrievalProcess)))
  })

  const best = fn("PromptDocuments.best")(function* (customerID: CustomerID, message: StoredMessage, most: number) {
    const { fillAll, stored } = yield* prepare(customerID, message, {})
    const filled: Array<FilledDocument> = []
    const usable = () => filled.filter(({ content }) => content.trim() !== "")
    // For each document that yields nothing, the next one gets its chance.
    while (usable().length < most && filled.length < stored.length) {
      const missing = most - usable().length
      filled.push(...(yield* fillAll(stored.slice(filled.length, filled.length + missing))))
    }
    return { usable: usable(), failed: filled.filter(({ error }) => error !== null) }
  })

  return PromptDocuments.of({
    of,
    best,
    list: fn("PromptDocuments.list")(function* (ticketMessageID, query) {
      const caller = yield* CurrentCaller
      const message = yield* messages
        .find(caller.customerID, ticketMessageID)
        .pipe(
          Effect.map(
            Option.filter(({ channelID }) => Option.getOrElse(channelOf(caller), () => channelID) === channelID)
          ),
          access.orRefuse(ticketMessageID)
        )
      const filled = yield* of(caller.customerID, message, query)
      return filled.map(
        ({ content, document, error }) =>
          new PromptDocument({ documentID: document.documentID, title: document.name, content, error })
      )
    })
  })
})
