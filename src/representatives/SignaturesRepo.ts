import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { CustomerRepSignature } from "../../schema/Signatures.ts"

const RepKey = Schema.Struct({ customerID: CustomerID, customerRepID: CustomerRepID })
const Key = Schema.Struct({ ...RepKey.fields, lang: Schema.String })

const Fields = Schema.Struct({
  lang: Schema.String,
  emailSignatureHTML: Schema.NullOr(Schema.String),
  emailSignatureText: Schema.NullOr(Schema.String)
})

export class SignaturesRepo extends Context.Tag("casework/SignaturesRepo")<
  SignaturesRepo,
  {
    readonly list: (
      customerID: CustomerID,
      customerRepID: CustomerRepID
    ) => Effect.Effect<ReadonlyArray<CustomerRepSignature>>
    readonly find: (
      customerID: CustomerID,
      customerRepID: CustomerRepID,
      lang: string
    ) => Effect.Effect<Option.Option<CustomerRepSignature>>
    readonly save: (
      customerID: CustomerID,
      customerRepID: CustomerRepID,
      signature: typeof Fields.Type
    ) => Effect.Effect<CustomerRepSignature>
    readonly delete: (customerID: CustomerID, customerRepID: CustomerRepID, lang: string) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    SignaturesRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`customer_rep_id as "customerRepID", lang,
    email_signature_html as "emailSignatureHTML", email_signature_text as "emailSignatureText"`)

  const list = SqlSchema.findAll({
    Request: RepKey,
    Result: CustomerRepSignature,
    execute: (_) => sql`
      select ${columns} from customer_rep_signature
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID} order by lang collate "C"`
  })
  const find = SqlSchema.findOne({
    Request: Key,
    Result: CustomerRepSignature,
    execute: (_) => sql`
      select ${columns} from customer_rep_signature
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID} and lang = ${_.lang}`
  })
  const save = SqlSchema.single({
    Request: Schema.Struct({ ...RepKey.fields, ...Fields.fields }),
    Result: CustomerRepSignature,
    execute: (_) => sql`
      insert into customer_rep_signature (customer_id, customer_rep_id, lang, email_signature_html, email_signature_text)
      values (${_.customerID}, ${_.customerRepID}, ${_.lang}, ${_.emailSignatureHTML}, ${_.emailSignatureText})
      on conflict (customer_id, customer_rep_id, lang) do update
        set email_signature_html = excluded.email_signature_html, email_signature_text = excluded.email_signature_text
      returning ${columns}`
  })
  const remove = SqlSchema.findAll({
    Request: Key,
    Result: Schema.Struct({ lang: Schema.String }),
    execute: (_) => sql`
      delete from customer_rep_signature
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID} and lang = ${_.lang}
      returning lang`
  })

  return SignaturesRepo.of({
    list: (customerID, customerRepID) => list({ customerID, customerRepID }).pipe(Effect.orDie),
    find: (customerID, customerRepID, lang) => find({ customerID, customerRepID, lang }).pipe(Effect.orDie),
    save: (customerID, customerRepID, signature) =>
      save({ customerID, customerRepID, ...signature }).pipe(Effect.orDie),
    delete: (customerID, customerRepID, lang) =>
      remove({ customerID, customerRepID, lang }).pipe(
        Effect.orDie,
        Effect.map((rows) => rows.length > 0)
      )
  })
})
