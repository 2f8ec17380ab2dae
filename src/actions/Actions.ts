import { Context, Effect, Either, Layer, Schema } from "effect"
import type { Action, ActionCreate, ActionPage, ActionsQuery, ActionUpdate } from "../../schema/Actions.ts"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { ActionID } from "../../schema/Ids.ts"
import { type OperationName, OperationParameters, parametersFitOperation } from "../../schema/Operations.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { makeCheckOwnReferences, type Reference } from "../platform/database/OwnReferences.ts"
import { problemsIn } from "../platform/Problems.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ActionsRepo, type StoredAction } from "./ActionsRepo.ts"
import { operationFromName, operationOf, saysTooLongWait } from "./OperationFromName.ts"

export class Actions extends Context.Tag("casework/Actions")<
  Actions,
  {
    readonly list: (query: ActionsQuery) => Effect.Effect<ActionPage, never, CurrentRep>
    readonly get: (actionID: ActionID) => Effect.Effect<Action, NotFound, CurrentRep>
    readonly create: (action: ActionCreate) => Effect.Effect<Action, BadRequest | Conflict, CurrentRep>
    readonly update: (
      actionID: ActionID,
      change: ActionUpdate
    ) => Effect.Effect<void, BadRequest | NotFound | Conflict, CurrentRep>
    readonly delete: (actionID: ActionID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Actions,
    Effect.suspend(() => make)
  )
}

const missing = (actionID: ActionID) => `There is no action ${actionID}.`

const nameTaken = (name: string) => () => Conflict.of(`An action named "${name}" already exists.`)

/** The requested operation, or else the one that the name implies. */
const resolveOperation = (
  name: string,
  operation: OperationName | null | undefined,
  parameters: OperationParameters | null | undefined
) =>
  operation === null || operation === undefined
    ? { ...operationFromName(name), operationFromName: true }
    : // The contract checked that the parameters fit.
      { ...Either.getOrThrow(operationOf(operation, parameters ?? null)), operationFromName: false }

type Wanted = Pick<ActionUpdate, "operation" | "parameters">

/** Keeps what a change leaves out: the operation, its parameters, or that the name determines both. */
const operationAfter = (stored: StoredAction, { operation, parameters }: Wanted): Wanted => {
  if (operation === null) return { operation }
  if (operation === undefined) {
    if (stored.operationFromName && (parameters ?? null) === null) return {}
    return { operation: stored.operation, parameters: parameters === undefined ? stored.parameters : parameters }
  }
  const keepsParameters = parameters === undefined && operation === stored.operation
  return { operation, parameters: keepsParameters ? stored.parameters : (parameters ?? null) }
}

/** Ids inside the parameters must be the customer's own. */
const referencesOf = ({ customerRepID, documentID }: OperationParameters): ReadonlyArray<Reference> => [
  ...(customerRepID === undefined
    ? []
    : [{ kind: "customer_rep" as const, path: "parameters.customerRepID", id: customerRepID }]),
  ...(documentID === undefined ? [] : [{ kind: "document" as const, path: "parameters.documentID", id: documentID }])
]

const sameParameters = Schema.equivalence(OperationParameters)

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* ActionsRepo
  const checkOwnReferences = yield* makeCheckOwnReferences

  /** A name that says to wait for longer than allowed would produce an action that does nothing. */
  const checkName = (name: string, { operationFromName }: { readonly operationFromName: boolean }) =>
    operationFromName && saysTooLongWait(name)
      ? BadRequest.at("name", "asks for a wait of more than 30 days, the longest possible")
      : Effect.void

  return Actions.of({
    list: fn("Actions.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("Actions.get")(function* (actionID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, actionID).pipe(orNotFound(missing(actionID)))
    }),

    create: fn("Actions.create")(function* ({ description = null, operation, parameters, ...action }) {
      const { customerID } = yield* CurrentRep
      const fields = { ...action, description, ...resolveOperation(action.name, operation, parameters) }
      yield* checkName(action.name, fields)
      yield* checkOwnReferences(customerID, referencesOf(fields.parameters))
      return yield* repo.insert(customerID, fields).pipe(Effect.catchTag("Duplicate", nameTaken(action.name)))
    }, inTransaction),

    update: fn("Actions.update")(function* (actionID, { actionID: inBody, ...change }) {
      const { customerID } = yield* CurrentRep
      if (inBody !== actionID) return yield* BadRequest.at("actionID", `must equal the id in the path, ${actionID}`)
      const stored = yield* repo.findForUpdate(customerID, actionID).pipe(orNotFound(missing(actionID)))
      const wanted = operationAfter(stored, change)
      const problems = parametersFitOperation(wanted)
      if (problems.length > 0) return yield* Effect.fail(problemsIn(problems))
      const operation = resolveOperation(change.name, wanted.operation, wanted.parameters)
      const fields = { ...stored, ...change, ...operation }
      // Kept values were checked when written; their target may be gone since, but the action can still be changed.
      const isKept = stored.operation === fields.operation && sameParameters(stored.parameters, fields.parameters)
      if (!isKept) yield* checkOwnReferences(customerID, referencesOf(fields.parameters))
      if (!isKept || stored.name !== change.name) yield* checkName(change.name, fields)
      yield* repo.update(customerID, actionID, fields).pipe(Effect.catchTag("Duplicate", nameTaken(change.name)))
    }, inTransaction),

    delete: fn("Actions.delete")(function* (actionID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, actionID).pipe(changedOrNotFound(missing(actionID)))
    })
  })
})
