import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { Action, type ActionPage, type ActionsQuery, actionPaging } from "../../schema/Actions.ts"
import { ActionID, CustomerID } from "../../schema/Ids.ts"
import { OperationName, OperationParameters } from "../../schema/Operations.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"

const Key = Schema.Struct({ customerID: CustomerID, actionID: ActionID })

const Fields = Schema.Struct({
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  priority: Schema.Int,
  isActive: Schema.Boolean,
  operation: OperationName,
  parameters: Schema.parseJson(OperationParameters),
  operationFromName: Schema.Boolean
})
type ActionFields = typeof Fields.Type

const Stored = Schema.Struct({ ...Fields.fields, parameters: OperationParameters, actionID: ActionID })
export type StoredAction = typeof Stored.Type

/** A stored action as the API shows it: without parameters they are null, not an empty object. */
const Row = Schema.transform(Stored, Schema.typeSchema(Action), {
  strict: true,
  decode: ({ operationFromName: _, parameters, ...action }) =>
    new Action({ ...action, parameters: Object.keys(parameters).length === 0 ? null : parameters }),
  encode: (action) => ({ ...action, parameters: action.parameters ?? {}, operationFromName: false })
})

export class ActionsRepo extends Context.Tag("casework/ActionsRepo")<
  ActionsRepo,
  {
    readonly list: (customerID: CustomerID, query: ActionsQuery) => Effect.Effect<ActionPage>
    readonly find: (customerID: CustomerID, actionID: ActionID) => Effect.Effect<Option.Option<Action>>
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: (customerID: CustomerID, actionID: ActionID) => Effect.Effect<Option.Option<StoredAction>>
    readonly insert: (customerID: CustomerID, fields: ActionFields) => Effect.Effect<Action, Duplicate>
    readonly update: (
      customerID: CustomerID,
      actionID: ActionID,
      fields: ActionFields
    ) => Effect.Effect<void, Duplicate>
    readonly delete: (customerID: CustomerID, actionID: ActionID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    ActionsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`action_id as "actionID", name, description, priority, is_active as "isActive",
    operation, parameters, operation_from_name as "operationFromName"`)

  const list = pagedQuery(sql, {
    Result: Row,
    columns,
    from: (customerID: CustomerID) => sql`action where customer_id = ${customerID}`,
    sortBy: {
      actionID: "action_id",
      name: ignoringCase("name"),
      description: ignoringCase("description"),
      priority: "priority",
      isActive: "is_active",
      operation: "operation",
      parameters: "nullif(parameters, '{}')"
    },
    optional: ["description", "parameters"],
    id: "action_id",
    paging: actionPaging
  })
  const table = { table: "action", key: "action_id", columns }
  const rows = ownRows(sql, { ...table, Result: Row })
  const stored = ownRows(sql, { ...table, Result: Stored })
  const insert = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, ...Fields.fields }),
    Result: Row,
    execute: (_) => sql`
      insert into action (customer_id, name, description, priority, is_active, operation, parameters, operation_from_name)
      values (${_.customerID}, ${_.name}, ${_.description}, ${_.priority}, ${_.isActive}, ${_.operation},
        ${_.parameters}::jsonb, ${_.operationFromName})
      returning ${columns}`
  })
  const update = SqlSchema.void({
    Request: Schema.Struct({ ...Key.fields, ...Fields.fields }),
    execute: (_) => sql`
      update action set name = ${_.name}, description = ${_.description}, priority = ${_.priority},
        is_active = ${_.isActive}, operation = ${_.operation}, parameters = ${_.parameters}::jsonb,
        operation_from_name = ${_.operationFromName}
      where customer_id = ${_.customerID} and action_id = ${_.actionID}`
  })
  return ActionsRepo.of({
    list,
    find: rows.find,
    findForUpdate: stored.findForUpdate,
    insert: (customerID, fields) => insert({ customerID, ...fields }).pipe(failOnDuplicate),
    update: (customerID, actionID, fields) => update({ customerID, actionID, ...fields }).pipe(failOnDuplicate),
    delete: rows.delete
  })
})
