import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { Role } from "../../schema/Authentication.ts"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import {
  CustomerRep,
  type CustomerRepPage,
  type RepresentativesQuery,
  representativePaging
} from "../../schema/Representatives.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"

const text = Schema.NullOr(Schema.String)

const Profile = Schema.Struct({
  name: text,
  email: text,
  phoneNumber: text,
  otherDetails: text,
  emailSignatureHTML: text,
  emailSignatureText: text,
  timeZone: text
})

const Fields = Schema.Struct({ username: Schema.String, role: Role, ...Profile.fields })
type RepFields = typeof Fields.Type

const NewRep = Schema.extend(
  Schema.Struct({ customerID: CustomerID, username: Schema.String, role: Role, passwordHash: Schema.String }),
  Schema.partialWith(Profile, { exact: true })
)
type NewRep = Omit<typeof NewRep.Type, "customerID">

const Key = Schema.Struct({ customerID: CustomerID, customerRepID: CustomerRepID })
const SecurityVersion = Schema.Struct({ securityVersion: Schema.Int })

export class RepresentativesRepo extends Context.Tag("casework/RepresentativesRepo")<
  RepresentativesRepo,
  {
    readonly list: (customerID: CustomerID, query: RepresentativesQuery) => Effect.Effect<CustomerRepPage>
    readonly find: (customerID: CustomerID, customerRepID: CustomerRepID) => Effect.Effect<Option.Option<CustomerRep>>
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: (
      customerID: CustomerID,
      customerRepID: CustomerRepID
    ) => Effect.Effect<Option.Option<CustomerRep>>
    /** Locks and returns the Admins until the transaction ends. Comes before any other lock on a representative. */
    readonly lockAdmins: (customerID: CustomerID) => Effect.Effect<ReadonlyArray<CustomerRepID>>
    readonly insert: (customerID: CustomerID, rep: NewRep) => Effect.Effect<CustomerRep, Duplicate>
    /** Returns the security version, which a change of role raises. */
    readonly update: (
      customerID: CustomerID,
      customerRepID: CustomerRepID,
      fields: RepFields
    ) => Effect.Effect<number, Duplicate>
    /** Marks the row as deleted, because other rows refer to it, and returns its raised security version. */
    readonly delete: (customerID: CustomerID, customerRepID: CustomerRepID) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.effect(
    RepresentativesRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`customer_rep_id as "customerRepID", customer_id as "customerID", username, name, email,
    phone_number as "phoneNumber", other_details as "otherDetails", email_signature_html as "emailSignatureHTML",
    email_signature_text as "emailSignatureText", time_zone as "timeZone", role`)

  const contains = (search: string) => {
    const part = sql`lower(${search.trim()}::text)`
    return sql`(strpos(lower(name), ${part}) > 0 or strpos(lower(username), ${part}) > 0
      or strpos(lower(email), ${part}) > 0)`
  }
  const list = pagedQuery(sql, {
    Result: CustomerRep,
    columns,
    from: ({ customerID, search = "" }: { readonly customerID: CustomerID; readonly search?: string }) =>
      sql`customer_rep where ${sql.and([
        sql`customer_id = ${customerID}`,
        "deleted_at is null",
        ...(search.trim() === "" ? [] : [contains(search)])
      ])}`,
    sortBy: {
      customerRepID: "customer_rep_id",
      customerID: "customer_id",
      username: ignoringCase("username"),
      name: ignoringCase("name"),
      email: ignoringCase("email"),
      phoneNumber: ignoringCase("phone_number"),
      otherDetails: ignoringCase("other_details"),
      emailSignatureHTML: ignoringCase("email_signature_html"),
      emailSignatureText: ignoringCase("email_signature_text"),
      timeZone: ignoringCase("time_zone"),
      role: "role"
    },
    optional: ["name", "email", "phoneNumber", "otherDetails", "emailSignatureHTML", "emailSignatureText", "timeZone"],
    id: "customer_rep_id",
    paging: representativePaging
  })
  const find = SqlSchema.findOne({
    Request: Key,
    Result: CustomerRep,
    execute: (_) => sql`
      select ${columns} from customer_rep
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID} and deleted_at is null`
  })
  const findForUpdate = SqlSchema.findOne({
    Request: Key,
    Result: CustomerRep,
    execute: (_) => sql`
      select ${columns} from customer_rep
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID} and deleted_at is null
      for no key update`
  })
  // The Admins may change while a transaction waits for their rows: two that lock different rows could deadlock.
  const lockCustomer = SqlSchema.void({
    Request: CustomerID,
    execute: (customerID) => sql`select 1 from customer where customer_id = ${customerID} for no key update`
  })
  const lockAdmins = SqlSchema.findAll({
    Request: CustomerID,
    Result: Schema.Struct({ customerRepID: CustomerRepID }),
    execute: (customerID) => sql`
      select customer_rep_id as "customerRepID" from customer_rep
      where customer_id = ${customerID} and role = 'Admin' and deleted_at is null
      order by customer_rep_id for no key update`
  })
  const insert = SqlSchema.single({
    Request: NewRep,
    Result: CustomerRep,
    execute: (_) => sql`
      insert into customer_rep (customer_id, username, password_hash, role, name, email, phone_number, other_details,
        email_signature_html, email_signature_text, time_zone)
      values (${_.customerID}, ${_.username}, ${_.passwordHash}, ${_.role}, ${_.name ?? null}, ${_.email ?? null},
        ${_.phoneNumber ?? null}, ${_.otherDetails ?? null}, ${_.emailSignatureHTML ?? null},
        ${_.emailSignatureText ?? null}, ${_.timeZone ?? null})
      returning ${columns}`
  })
  const update = SqlSchema.single({
    Request: Schema.Struct({ ...Key.fields, ...Fields.fields }),
    Result: SecurityVersion,
    // A reset link sent to the old address must not work after the address has changed.
    execute: (_) => sql`
      with ended as (
        delete from password_reset p using customer_rep r
        where p.customer_id = ${_.customerID} and p.customer_rep_id = ${_.customerRepID}
          and r.customer_id = p.customer_id and r.customer_rep_id = p.customer_rep_id
          and lower(r.email) is distinct from lower(${_.email}))
      update customer_rep set username = ${_.username}, role = ${_.role}, name = ${_.name}, email = ${_.email},
        phone_number = ${_.phoneNumber}, other_details = ${_.otherDetails},
        email_signature_html = ${_.emailSignatureHTML}, email_signature_text = ${_.emailSignatureText},
        time_zone = ${_.timeZone},
        security_version = security_version + case when role = ${_.role}::text then 0 else 1 end,
        security_changed_at = case when role = ${_.role}::text then security_changed_at else clock_timestamp() end
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID}
      returning security_version as "securityVersion"`
  })
  const remove = SqlSchema.single({
    Request: Key,
    Result: SecurityVersion,
    execute: (_) => sql`
      with no_longer_default as (
        update customer c set default_customer_rep_id = null
        where c.customer_id = ${_.customerID} and c.default_customer_rep_id = ${_.customerRepID})
      update customer_rep r set deleted_at = now(), security_version = r.security_version + 1,
        security_changed_at = clock_timestamp()
      where r.customer_id = ${_.customerID} and r.customer_rep_id = ${_.customerRepID}
      returning r.security_version as "securityVersion"`
  })

  return RepresentativesRepo.of({
    list: (customerID, query) => list({ customerID, ...query }, query),
    find: (customerID, customerRepID) => find({ customerID, customerRepID }).pipe(Effect.orDie),
    findForUpdate: (customerID, customerRepID) => findForUpdate({ customerID, customerRepID }).pipe(Effect.orDie),
    lockAdmins: (customerID) =>
      Effect.zipRight(lockCustomer(customerID), lockAdmins(customerID)).pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map((row) => row.customerRepID))
      ),
    insert: (customerID, rep) => insert({ customerID, ...rep }).pipe(failOnDuplicate),
    update: (customerID, customerRepID, fields) =>
      update({ customerID, customerRepID, ...fields }).pipe(
        Effect.map((row) => row.securityVersion),
        failOnDuplicate
      ),
    delete: (customerID, customerRepID) =>
      remove({ customerID, customerRepID }).pipe(
        Effect.orDie,
        Effect.map((row) => row.securityVersion)
      )
  })
})
