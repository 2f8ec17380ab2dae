import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { CustomerID } from "../../schema/Ids.ts"

const CustomerOverview = Schema.Struct({
  customerID: CustomerID,
  name: Schema.String,
  hostnames: Schema.Array(Schema.String),
  features: Schema.Array(Schema.String),
  representatives: Schema.Int
})

const ModelOverview = Schema.Struct({
  modelID: Schema.Int,
  name: Schema.String,
  /** The customer's name; null when the model is shared. */
  owner: Schema.NullOr(Schema.String),
  modelType: Schema.String,
  slots: Schema.Array(Schema.String),
  isDefault: Schema.Boolean,
  isActive: Schema.Boolean
})

/** The lists that the operator's commands print. */
export class OverviewRepo extends Context.Tag("casework/OverviewRepo")<
  OverviewRepo,
  {
    readonly customers: Effect.Effect<ReadonlyArray<typeof CustomerOverview.Type>>
    readonly models: Effect.Effect<ReadonlyArray<typeof ModelOverview.Type>>
  }
>() {
  static readonly layer = Layer.effect(
    OverviewRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customers = SqlSchema.findAll({
        Request: Schema.Void,
        Result: CustomerOverview,
        execute: () => sql`
          /* all customers: the operator's list */
          select c.customer_id as "customerID", c.name,
            array(select h.hostname from login_hostname h where h.customer_id = c.customer_id order by 1) as hostnames,
            array(select f.feature from customer_feature f where f.customer_id = c.customer_id order by 1) as features,
            (select count(*)::int from customer_rep r
              where r.customer_id = c.customer_id and r.deleted_at is null) as representatives
          from customer c order by c.customer_id`
      })
      const models = SqlSchema.findAll({
        Request: Schema.Void,
        Result: ModelOverview,
        execute: () => sql`
          /* all customers: the operator's list */
          select m.model_id as "modelID", m.name, c.name as owner, m.model_type as "modelType", m.slots,
            m.is_default as "isDefault", m.is_active as "isActive"
          from model m left join customer c on c.customer_id = m.customer_id order by m.model_id`
      })
      return {
        customers: customers(undefined).pipe(Effect.orDie),
        models: models(undefined).pipe(Effect.orDie)
      }
    })
  )
}
