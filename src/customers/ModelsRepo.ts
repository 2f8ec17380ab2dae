import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { Model } from "../../schema/Customers.ts"
import { CustomerID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/Violations.ts"

/** What a model can be used for. */
export const Slot = Schema.Literal("Topic", "Webchat", "EmailText", "EmailVision", "Call", "Spam")
export type Slot = typeof Slot.Type

const SharedModel = Schema.Struct({
  name: Schema.String,
  slots: Schema.Array(Slot),
  takesImages: Schema.Boolean,
  isDefault: Schema.Boolean
})
export type SharedModel = typeof SharedModel.Type

const Usable = Schema.Struct({ ...Model.fields, slots: Schema.Array(Slot), takesImages: Schema.Boolean })
export type UsableModel = typeof Usable.Type

export class ModelsRepo extends Context.Tag("casework/ModelsRepo")<
  ModelsRepo,
  {
    readonly insertShared: (model: SharedModel) => Effect.Effect<number, Duplicate>
    /** The active models, shared or the customer's own, by name. */
    readonly listUsable: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<UsableModel>>
  }
>() {
  static readonly layer = Layer.effect(
    ModelsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insertShared = SqlSchema.single({
        Request: SharedModel,
        Result: Schema.Struct({ modelID: Schema.Int }),
        execute: (_) => sql`
          insert into model (customer_id, name, model_type, slots, takes_images, is_default)
          values (null, ${_.name}, ${_.takesImages ? "Vision" : "Text"}, ${[..._.slots]}::text[], ${_.takesImages},
            ${_.isDefault})
          returning model_id as "modelID"`
      })
      const listUsable = SqlSchema.findAll({
        Request: CustomerID,
        Result: Usable,
        execute: (customerID) => sql`
          select model_id as "modelID", name, model_type as "modelType", is_default as "isDefault", slots,
            takes_images as "takesImages"
          from model where is_active and (customer_id is null or customer_id = ${customerID})
          order by lower(name) collate "C", model_id`
      })
      return {
        insertShared: (model) =>
          insertShared(model).pipe(
            Effect.map((row) => row.modelID),
            failOnDuplicate
          ),
        listUsable: (customerID) => listUsable(customerID).pipe(Effect.orDie)
      }
    })
  )
}
