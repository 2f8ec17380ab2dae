import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Role } from "../../schema/Authentication.ts"
import { ChannelID, CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { confirmClaim } from "../platform/queue/JobClaim.ts"
import type { Retention } from "../platform/queue/Retention.ts"

export const passwordResetRetention: Retention = { table: "password_reset", since: "expires_at", for: "0 hours" }

const Rep = Schema.Struct({
  customerID: CustomerID,
  customerRepID: CustomerRepID,
  username: Schema.String,
  role: Role,
  timeZone: Schema.NullOr(Schema.String),
  securityVersion: Schema.Int,
  passwordHash: Schema.String,
  name: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String)
})
type AuthRep = typeof Rep.Type

const PhoneChannel = Schema.Struct({ customerID: CustomerID, channelID: ChannelID, phoneNumber: Schema.String })

/** Queries that authentication runs before it knows the customer, and its writes once it does. */
export class AuthRepo extends Context.Tag("casework/AuthRepo")<
  AuthRepo,
  {
    readonly findByUsername: (username: string) => Effect.Effect<Option.Option<AuthRep>>
    /** Those who may log in at the hostname, or at any: nobody else's representatives may take their places. */
    readonly findByEmail: (email: string, hostname: string | undefined) => Effect.Effect<ReadonlyArray<AuthRep>>
    readonly findPhoneChannel: (
      accountSid: string,
      phoneNumber: string
    ) => Effect.Effect<Option.Option<typeof PhoneChannel.Type>>
    readonly hasHostname: (customerID: CustomerID, hostname: string) => Effect.Effect<boolean>
    readonly hasFeature: (customerID: CustomerID, feature: string) => Effect.Effect<boolean>
    readonly find: (customerID: CustomerID, customerRepID: CustomerRepID) => Effect.Effect<Option.Option<AuthRep>>
    readonly findDefault: (customerID: CustomerID) => Effect.Effect<Option.Option<AuthRep>>
    /** Sets the hash, deletes reset tokens and returns the raised security version. */
    readonly setPassword: (
      customerID: CustomerID,
      customerRepID: CustomerRepID,
      passwordHash: string
    ) => Effect.Effect<number>
    /**
     * Stores the hash of a reset token and deletes older ones. Returns false when a token requested later exists, which
     * is kept, or when the password or the email address has changed since the request.
     */
    readonly replaceResetToken: (
      customerID: CustomerID,
      customerRepID: CustomerRepID,
      tokenHash: string,
      asked: { readonly email: string; readonly at: Date }
    ) => Effect.Effect<boolean>
    /** Removes a reset token and returns its owner, unless it had expired. */
    readonly takeResetToken: (tokenHash: string) => Effect.Effect<Option.Option<AuthRep>>
  }
>() {
  static readonly layer = Layer.effect(
    AuthRepo,
    Effect.suspend(() => make)
  )
}

/** How long a reset token is valid. */
export const resetTokenHours = 4

/** How many representatives of a customer may share an address to which reset mails are sent. */
const mostOfOneCustomer = 20

const RepKey = Schema.Struct({ customerID: CustomerID, customerRepID: CustomerRepID })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`r.customer_id as "customerID", r.customer_rep_id as "customerRepID", r.username, r.role,
    r.time_zone as "timeZone", r.security_version as "securityVersion", r.password_hash as "passwordHash", r.name, r.email`)

  const byUsername = SqlSchema.findOne({
    Request: Schema.String,
    Result: Rep,
    execute: (username) => sql`
      /* all customers: the username says which one */
      select ${columns} from customer_rep r where lower(r.username) = lower(${username}) and r.deleted_at is null`
  })
  const byEmail = SqlSchema.findAll({
    Request: Schema.Struct({ email: Schema.String, hostname: Schema.UndefinedOr(Schema.String) }),
    Result: Rep,
    execute: ({ email, hostname }) => sql`
      /* all customers: the address says which ones */
      select ${columns} from (
        select *, row_number() over (partition by customer_id order by customer_rep_id) as place from customer_rep
        where lower(email) = lower(${email}) and deleted_at is null
      ) r
      where r.place <= ${mostOfOneCustomer} and ${
        hostname === undefined
          ? sql`true`
          : sql`exists (select from login_hostname h where h.customer_id = r.customer_id and h.hostname = lower(${hostname}))`
      }
      order by r.customer_rep_id`
  })
  const phoneChannel = SqlSchema.findOne({
    Request: Schema.Struct({ accountSid: Schema.String, phoneNumber: Schema.String }),
    Result: PhoneChannel,
    execute: (_) => sql`
      /* all customers: the account says which one */
      select c.customer_id as "customerID", c.channel_id as "channelID", c.phone_number as "phoneNumber"
      from customer cu join channel c on c.customer_id = cu.customer_id
      where cu.telephony_account_sid = ${_.accountSid} and cu.telephony_account_sid <> '' and c.phone_number = ${_.phoneNumber}
        and c.channel_type = 'Phone' and c.deleted_at is null
      order by c.channel_id limit 1`
  })
  const hostnames = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, hostname: Schema.String }),
    Result: Schema.Struct({ hostname: Schema.String }),
    execute: (_) => sql`
      select hostname from login_hostname where customer_id = ${_.customerID} and hostname = lower(${_.hostname})`
  })
  const features = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, feature: Schema.String }),
    Result: Schema.Struct({ feature: Schema.String }),
    execute: (_) => sql`
      select feature from customer_feature where customer_id = ${_.customerID} and feature = ${_.feature}`
  })
  const find = SqlSchema.findOne({
    Request: RepKey,
    Result: Rep,
    execute: (_) => sql`
      select ${columns} from customer_rep r
      where r.customer_id = ${_.customerID} and r.customer_rep_id = ${_.customerRepID} and r.deleted_at is null`
  })
  const findDefault = SqlSchema.findOne({
    Request: CustomerID,
    Result: Rep,
    execute: (customerID) => sql`
      select ${columns} from customer c
      join customer_rep r on r.customer_id = c.customer_id
        and (r.customer_rep_id = c.default_customer_rep_id or r.role = 'Admin')
      where c.customer_id = ${customerID} and r.deleted_at is null
      order by (r.customer_rep_id = c.default_customer_rep_id) desc nulls last, r.customer_rep_id limit 1`
  })
  const setPassword = SqlSchema.single({
    Request: Schema.Struct({ ...RepKey.fields, passwordHash: Schema.String }),
    Result: Schema.Struct({ securityVersion: Schema.Int }),
    execute: (_) => sql`
      with ended as (
        delete from password_reset p where p.customer_id = ${_.customerID} and p.customer_rep_id = ${_.customerRepID})
      update customer_rep r set password_hash = ${_.passwordHash}, security_version = r.security_version + 1,
        security_changed_at = clock_timestamp()
      where r.customer_id = ${_.customerID} and r.customer_rep_id = ${_.customerRepID}
      returning r.security_version as "securityVersion"`
  })
  const lock = SqlSchema.void({
    Request: RepKey,
    execute: (_) => sql`
      select 1 from customer_rep
      where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID} for no key update`
  })
  const endTokens = SqlSchema.void({
    Request: Schema.Struct({ ...RepKey.fields, askedAt: Schema.DateFromSelf }),
    execute: (_) => sql`
      delete from password_reset where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID}
        and (asked_at is null or asked_at <= ${_.askedAt} or expires_at <= now())`
  })
  const insertToken = SqlSchema.findOne({
    Request: Schema.Struct({
      ...RepKey.fields,
      tokenHash: Schema.String,
      email: Schema.String,
      askedAt: Schema.DateFromSelf
    }),
    Result: Schema.Struct({ customerRepID: CustomerRepID }),
    execute: (_) => sql`
      insert into password_reset (token_hash, customer_id, customer_rep_id, expires_at, asked_at)
      select ${_.tokenHash}, customer_id, customer_rep_id,
        now() + make_interval(hours => ${resetTokenHours}), ${_.askedAt}::timestamptz
      from customer_rep where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID}
        and email = ${_.email} and security_changed_at <= ${_.askedAt}
        and not exists (select 1 from password_reset
          where customer_id = ${_.customerID} and customer_rep_id = ${_.customerRepID})
      returning customer_rep_id as "customerRepID"`
  })
  const takeToken = SqlSchema.findOne({
    Request: Schema.String,
    Result: Rep,
    execute: (tokenHash) => sql`
      /* all customers: the token says which one */
      with owner as (
        select r.customer_id, r.customer_rep_id from password_reset t
        join customer_rep r on r.customer_id = t.customer_id and r.customer_rep_id = t.customer_rep_id
        where t.token_hash = ${tokenHash} for no key update of r),
      taken as (
        delete from password_reset t using owner
        where t.customer_id = owner.customer_id and t.customer_rep_id = owner.customer_rep_id
          and t.token_hash = ${tokenHash} and t.expires_at > now()
        returning t.*)
      select ${columns} from taken t join customer_rep r
        on r.customer_id = t.customer_id and r.customer_rep_id = t.customer_rep_id and r.deleted_at is null`
  })

  return AuthRepo.of({
    findByUsername: (username) => byUsername(username).pipe(Effect.orDie),
    findByEmail: (email, hostname) => byEmail({ email, hostname }).pipe(Effect.orDie),
    findPhoneChannel: (accountSid, phoneNumber) => phoneChannel({ accountSid, phoneNumber }).pipe(Effect.orDie),
    hasHostname: (customerID, hostname) =>
      hostnames({ customerID, hostname }).pipe(
        Effect.orDie,
        Effect.map((rows) => rows.length > 0)
      ),
    hasFeature: (customerID, feature) =>
      features({ customerID, feature }).pipe(
        Effect.orDie,
        Effect.map((rows) => rows.length > 0)
      ),
    find: (customerID, customerRepID) => find({ customerID, customerRepID }).pipe(Effect.orDie),
    findDefault: (customerID) => findDefault(customerID).pipe(Effect.orDie),
    setPassword: (customerID, customerRepID, passwordHash) =>
      setPassword({ customerID, customerRepID, passwordHash }).pipe(
        Effect.orDie,
        Effect.map((row) => row.securityVersion)
      ),
    replaceResetToken: (customerID, customerRepID, tokenHash, { at: askedAt, email }) =>
      // Two mails made at once must not leave two valid tokens, and a node that was paused must not delete a newer one.
      confirmClaim.pipe(
        Effect.zipRight(lock({ customerID, customerRepID })),
        Effect.zipRight(endTokens({ customerID, customerRepID, askedAt })),
        Effect.zipRight(insertToken({ customerID, customerRepID, tokenHash, email, askedAt })),
        Effect.map(Option.isSome),
        sql.withTransaction,
        Effect.orDie
      ),
    takeResetToken: (tokenHash) => takeToken(tokenHash).pipe(Effect.orDie)
  })
})
