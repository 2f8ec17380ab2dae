import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { Customer } from "../../schema/Customers.ts"
import { CustomerID } from "../../schema/Ids.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"
import { profileColumns } from "./ProfileColumns.ts"

/** The customer's own row; its secrets are encrypted. */
const Stored = Schema.Struct({ ...Customer.fields, lastModifiedDate: Schema.DateTimeUtcFromDate })
export type StoredCustomer = typeof Stored.Type

const Profile = Stored.omit("customerID", "name", "lastModifiedDate")
type StoredProfile = typeof Profile.Type

export class CustomerProfileRepo extends Context.Tag("casework/CustomerProfileRepo")<
  CustomerProfileRepo,
  {
    readonly exists: (customerID: CustomerID) => Effect.Effect<boolean>
    readonly get: (customerID: CustomerID) => Effect.Effect<StoredCustomer>
    /** Locks the row until the transaction ends. */
    readonly getForUpdate: (customerID: CustomerID) => Effect.Effect<StoredCustomer>
    readonly update: (customerID: CustomerID, profile: StoredProfile) => Effect.Effect<void, Duplicate>
  }
>() {
  static readonly layer = Layer.effect(
    CustomerProfileRepo,
    Effect.suspend(() => make)
  )
}

const toColumns = (profile: typeof Profile.Encoded) =>
  Object.fromEntries(Struct.entries(profileColumns).map(([field, column]) => [column, profile[field]]))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    [
      'customer_id as "customerID", name, modified_at as "lastModifiedDate"',
      ...Struct.entries(profileColumns).map(([field, column]) => `${column} as "${field}"`)
    ].join(", ")
  )

  const get = SqlSchema.single({
    Request: CustomerID,
    Result: Stored,
    execute: (customerID) => sql`select ${columns} from customer where customer_id = ${customerID}`
  })
  const getForUpdate = SqlSchema.single({
    Request: CustomerID,
    Result: Stored,
    execute: (customerID) => sql`
      select ${columns} from customer where customer_id = ${customerID} for no key update`
  })
  const update = SqlSchema.void({
    Request: Schema.Struct({ customerID: CustomerID, profile: Profile }),
    execute: (_) => sql`
      update customer set modified_at = now(), ${sql.update(toColumns(_.profile))} where customer_id = ${_.customerID}`
  })

  return CustomerProfileRepo.of({
    exists: (customerID) =>
      sql`select 1 from customer where customer_id = ${customerID}`.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orDie
      ),
    get: (customerID) => get(customerID).pipe(Effect.orDie),
    getForUpdate: (customerID) => getForUpdate(customerID).pipe(Effect.orDie),
    update: (customerID, profile) => update({ customerID, profile }).pipe(failOnDuplicate)
  })
})
