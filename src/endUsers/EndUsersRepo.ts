import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { EndUser, type EndUserPage, type EndUsersQuery, EndUserUID, endUserPaging } from "../../schema/EndUsers.ts"
import { type CustomerID, EndUserID } from "../../schema/Ids.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import { searchPatterns } from "../platform/database/SearchWords.ts"
import { type Duplicate, failOnDuplicate } from "../platform/database/Violations.ts"
import { searchTextOf } from "./EndUserSearch.ts"
import type { Uid } from "./EndUserUids.ts"

interface EndUserFields {
  readonly FirstName: string
  readonly LastName: string
  /** null means that it is made of the first and the last name. */
  readonly DisplayName: string | null
  readonly Email: string | null
  readonly Phone: string | null
  readonly CustomerRef: string | null
  readonly Notes: string | null
}

const Row = Schema.Struct({
  ...EndUser.fields,
  UIDs: Schema.Array(EndUserUID),
  DateCreated: Schema.DateTimeUtcFromDate,
  LastModified: Schema.DateTimeUtcFromDate
})

const Stored = Schema.Struct({ ...Row.fields, DisplayName: Schema.NullOr(Schema.String) })
type StoredEndUser = typeof Stored.Type

export class EndUsersRepo extends Context.Tag("casework/EndUsersRepo")<
  EndUsersRepo,
  {
    readonly list: (customerID: CustomerID, query: EndUsersQuery) => Effect.Effect<EndUserPage>
    readonly find: (customerID: CustomerID, endUserID: EndUserID) => Effect.Effect<Option.Option<EndUser>>
    /** Locks the end user with its UIDs until the transaction ends. */
    readonly findForUpdate: (
      customerID: CustomerID,
      endUserID: EndUserID
    ) => Effect.Effect<Option.Option<StoredEndUser>>
    readonly findByUid: (customerID: CustomerID, uid: string) => Effect.Effect<ReadonlyArray<EndUser>>
    readonly insert: (
      customerID: CustomerID,
      fields: EndUserFields,
      uids: ReadonlyArray<Uid>
    ) => Effect.Effect<EndUserID, Duplicate>
    /** `uids` are all UIDs that the end user will have afterwards. */
    readonly update: (
      customerID: CustomerID,
      stored: StoredEndUser,
      fields: EndUserFields,
      uids: ReadonlyArray<Uid>
    ) => Effect.Effect<void, Duplicate>
    readonly delete: (customerID: CustomerID, endUserID: EndUserID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    EndUsersRepo,
    Effect.suspend(() => make)
  )
}

const displayName = "coalesce(display_name, trim(first_name || ' ' || last_name))"

/** The display name of an end user without one of their own. */
export const nameMadeOf = ({ FirstName, LastName }: { readonly FirstName: string; readonly LastName: string }) =>
  `${FirstName} ${LastName}`.trim()

/** The only place that builds the search text. */
const valuesOf = (fields: EndUserFields, uids: ReadonlyArray<Uid>) => ({
  first_name: fields.FirstName,
  last_name: fields.LastName,
  display_name: fields.DisplayName,
  email: fields.Email,
  phone: fields.Phone,
  customer_ref: fields.CustomerRef,
  notes: fields.Notes,
  search_text: searchTextOf(fields, uids)
})

const uidColumns = `end_user_uid_id as "EndUserUIDID", uid as "UID", uid_type as "UIDType", is_primary as "IsPrimary"`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columnsWith = (name: string) =>
    sql.literal(`end_user_id as "EndUserID", customer_id as "CustomerID", first_name as "FirstName",
      last_name as "LastName", ${name} as "DisplayName", email as "Email", phone as "Phone",
      customer_ref as "CustomerRef", notes as "Notes", created_at as "DateCreated", modified_at as "LastModified",
      (select coalesce(json_agg(linked order by "EndUserUIDID"), '[]') from (
        select ${uidColumns} from end_user_uid u
        where u.customer_id = end_user.customer_id and u.end_user_id = end_user.end_user_id) linked) as "UIDs"`)
  const table = { table: "end_user", key: "end_user_id" }
  const columns = columnsWith(displayName)
  const rows = ownRows(sql, { ...table, columns, Result: Row })
  const stored = ownRows(sql, { ...table, columns: columnsWith("display_name"), Result: Stored })

  const list = pagedQuery(sql, {
    Result: Row,
    columns,
    from: ({ customerID, search = "" }: { readonly customerID: CustomerID; readonly search?: string }) =>
      sql`end_user where ${sql.and([
        sql`customer_id = ${customerID}`,
        ...searchPatterns(search).map((pattern) => sql`search_text like ${pattern}`)
      ])}`,
    sortBy: {
      EndUserID: "end_user_id",
      CustomerID: "customer_id",
      FirstName: ignoringCase("first_name"),
      LastName: ignoringCase("last_name"),
      DisplayName: ignoringCase(displayName),
      Email: ignoringCase("email"),
      Phone: ignoringCase("phone"),
      CustomerRef: ignoringCase("customer_ref"),
      Notes: ignoringCase("notes"),
      UIDs: ignoringCase(`(
        select string_agg(uid, ' ' order by end_user_uid_id) from end_user_uid u
        where u.customer_id = end_user.customer_id and u.end_user_id = end_user.end_user_id)`),
      DateCreated: "created_at",
      LastModified: "modified_at"
    },
    optional: ["Email", "Phone", "CustomerRef", "Notes", "UIDs"],
    id: "end_user_id",
    paging: endUserPaging
  })

  const findByUid = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: EndUser.fields.CustomerID, uid: Schema.String }),
    Result: Row,
    execute: (_) => sql`
      select ${columns} from end_user where customer_id = ${_.customerID} and end_user_id in (
        select end_user_id from end_user_uid where customer_id = ${_.customerID} and lower(uid) = lower(${_.uid}))
      order by end_user_id`
  })

  const decodeId = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ EndUserID })))

  // Rewrites all UIDs under their ids, so that one update can swap the texts of two, or which one is primary.
  const writeUids = (customerID: CustomerID, endUserID: EndUserID, uids: ReadonlyArray<Uid>) =>
    Effect.zipRight(
      sql`delete from end_user_uid where customer_id = ${customerID} and end_user_id = ${endUserID}`,
      sql`
        insert into end_user_uid (end_user_uid_id, customer_id, end_user_id, uid, uid_type, is_primary)
        overriding system value
        select coalesce("EndUserUIDID", nextval(pg_get_serial_sequence('end_user_uid', 'end_user_uid_id'))),
          ${customerID}, ${endUserID}, "UID", "UIDType", "IsPrimary"
        from jsonb_to_recordset(${JSON.stringify(uids)}::jsonb)
          as wanted ("EndUserUIDID" int, "UID" text, "UIDType" text, "IsPrimary" boolean)`
    )

  return EndUsersRepo.of({
    list: (customerID, query) => list({ customerID, ...query }, query),
    find: rows.find,
    // Locks first: a statement that had to wait for the lock would still read the old UIDs.
    findForUpdate: (customerID, endUserID) =>
      sql`select 1 from end_user where customer_id = ${customerID} and end_user_id = ${endUserID} for update`.pipe(
        Effect.orDie,
        Effect.zipRight(stored.find(customerID, endUserID))
      ),
    findByUid: (customerID, uid) => Effect.orDie(findByUid({ customerID, uid })),
    insert: (customerID, fields, uids) =>
      Effect.gen(function* () {
        const row = { customer_id: customerID, ...valuesOf(fields, uids) }
        const [{ EndUserID: endUserID }] = yield* decodeId(
          yield* sql`insert into end_user ${sql.insert(row)} returning end_user_id as "EndUserID"`
        )
        yield* writeUids(customerID, endUserID, uids)
        return endUserID
      }).pipe(failOnDuplicate),
    update: (customerID, { EndUserID: endUserID, UIDs }, fields, uids) =>
      Effect.gen(function* () {
        yield* sql`update end_user set ${sql.update(valuesOf(fields, uids))}, modified_at = now()
          where customer_id = ${customerID} and end_user_id = ${endUserID}`
        if (uids !== UIDs) yield* writeUids(customerID, endUserID, uids)
      }).pipe(failOnDuplicate),
    // Locks the tickets first, as every change of a ticket does, because they are about to lose their end user.
    delete: (customerID, endUserID) =>
      sql`
        select 1 from ticket where customer_id = ${customerID} and end_user_id = ${endUserID}
        order by ticket_id for no key update`.pipe(Effect.orDie, Effect.zipRight(rows.delete(customerID, endUserID)))
  })
})
