import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Model } from "../../schema/Customers.ts"
import { CustomerID, ModelID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"

/** What a model can be used for. */
export const Slot = Schema.Literal("Topic", "Webchat", "EmailText", "EmailVision", "Call", "Spam")
export type Slot = typeof Slot.Type

const NewModel = Schema.Struct({
  name: Schema.String,
  slots: Schema.Array(Slot),
  takesImages: Schema.Boolean,
  isDefault: Schema.Boolean
})
export type NewModel = typeof NewModel.Type

const Usable = Schema.Struct({ ...Model.fields, slots: Schema.Array(Slot), takesImages: Schema.Boolean })
export type UsableModel = typeof Usable.Type

export class ModelsRepo extends Context.Tag("casework/ModelsRepo")<
  ModelsRepo,
  {
    /** Adds a model of a customer; without an owner the model is shared. */
    readonly insert: (owner: CustomerID | null, model: NewModel) => Effect.Effect<ModelID, Duplicate>
    /** Returns the name of the model, if it exists. */
    readonly setActive: (modelID: ModelID, isActive: boolean) => Effect.Effect<Option.Option<string>>
    /** The active models, shared or the customer's own, sorted by name. */
    readonly listUsable: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<UsableModel>>
  }
>() {
  static readonly layer = Layer.effect(
    ModelsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = SqlSchema.single({
        Request: Schema.Struct({ owner: Schema.NullOr(CustomerID), ...NewModel.fields }),
        Result: Schema.Struct({ modelID: ModelID }),
        execute: (_) => sql`
          insert into model (customer_id, name, model_type, slots, takes_images, is_default)
          values (${_.owner}::int, ${_.name}, ${_.takesImages ? "Vision" : "Text"}, ${[..._.slots]}::text[],
            ${_.takesImages}, ${_.isDefault})
          returning model_id as "modelID"`
      })
      const setActive = SqlSchema.findOne({
        Request: Schema.Struct({ modelID: ModelID, isActive: Schema.Boolean }),
        Result: Schema.Struct({ name: Schema.String }),
        execute: (_) => sql`
          /* all customers: the operator decides on every model, and shared ones belong to none */
          update model set is_active = ${_.isActive} where model_id = ${_.modelID} returning name`
      })
      const listUsable = SqlSchema.findAll({
        Request: CustomerID,
        Result: Usable,
        execute: (customerID) => sql`
          select model_id as "modelID", name, model_type as "modelType", is_default as "isDefault", slots,
            takes_images as "takesImages"
          from model where is_active and coalesce(customer_id, 0) in (0, ${customerID})
          order by lower(name) collate "C", model_id`
      })
      return {
        insert: (owner, model) =>
          insert({ owner, ...model }).pipe(
            Effect.map((row) => row.modelID),
            failOnDuplicate
          ),
        setActive: (modelID, isActive) =>
          setActive({ modelID, isActive }).pipe(Effect.map(Option.map((row) => row.name)), Effect.orDie),
        listUsable: (customerID) => listUsable(customerID).pipe(Effect.orDie)
      }
    })
  )
}
