import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { type Duplicate, failOnDuplicate } from "../platform/Duplicate.ts"

/** What a model can be used for. */
export const Slot = Schema.Literal("Topic", "Webchat", "EmailText", "EmailVision", "Call", "Spam")
export type Slot = typeof Slot.Type

const SharedModel = Schema.Struct({
  name: Schema.String,
  slots: Schema.Array(Slot),
  takesImages: Schema.Boolean,
  isDefault: Schema.Boolean
})

export class ModelsRepo extends Context.Tag("casework/ModelsRepo")<
  ModelsRepo,
  { readonly insertShared: (model: typeof SharedModel.Type) => Effect.Effect<number, Duplicate> }
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
      return {
        insertShared: (model) =>
          insertShared(model).pipe(
            Effect.map((row) => row.modelID),
            failOnDuplicate
          )
      }
    })
  )
}
