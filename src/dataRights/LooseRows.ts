import { Buffer } from "node:buffer"
import { SqlClient, SqlSchema } from "@effect/sql"
import { Chunk, Context, Effect, Layer, Schema, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { Outbox } from "../platform/systemMail/Outbox.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type MailHead, mailHeadOf } from "./MailHead.ts"
import type { Person } from "./PersonsRepo.ts"
import { mailsOf } from "./Traces.ts"

const SetAside = Schema.Struct({
  failedMailID: Schema.Int,
  externalID: Schema.String,
  blobID: BlobID
})

/** With the address of its mailbox. */
const Listed = Schema.Struct({ ...SetAside.fields, mailbox: Schema.NullOr(Schema.String) })

export interface LooseRows {
  readonly setAsideMails: ReadonlyArray<typeof SetAside.Type>
  readonly outboxMails: ReadonlyArray<{
    readonly outboxMailID: number
    readonly subject: string
    readonly text: string
  }>
}

/** Rows that must be read to find whom they are about: no key ties them to a person, or they are encrypted. */
export class LooseRowsOf extends Context.Tag("casework/LooseRowsOf")<
  LooseRowsOf,
  {
    /** Call it outside of transactions: it reads files. */
    readonly setAsideMails: (person: Person) => Effect.Effect<LooseRows["setAsideMails"]>
    /** Decrypted. */
    readonly outboxMails: (person: Person) => Effect.Effect<LooseRows["outboxMails"]>
  }
>() {
  static readonly layer = Layer.effect(
    LooseRowsOf,
    Effect.suspend(() => make)
  )
}

const longestHead = 256 * 1024

const escaped = (word: string) => word.replaceAll(/[[\]\\.^$*+?(){}|/]/g, "\\$&")

const asRegExp = (marks: ReadonlyArray<string>) =>
  new RegExp(`(?<![\\p{L}\\p{N}._+-])(?:${marks.map(escaped).join("|")})(?![\\p{L}\\p{N}_-])`, "iu")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const outbox = yield* Outbox
  const decodeKept = Schema.decodeUnknown(Schema.Array(Schema.Struct({ outboxMailID: Schema.Int })))

  const listSetAside = SqlSchema.findAll({
    Request: CustomerID,
    Result: Listed,
    execute: (customerID) => sql`
      select f.failed_mail_id as "failedMailID", f.external_id as "externalID", f.blob_id as "blobID",
        lower(c.email_address) as mailbox
      from failed_mail f
      join channel_folder d on d.customer_id = f.customer_id and d.channel_folder_id = f.channel_folder_id
      join channel c on c.customer_id = d.customer_id and c.channel_id = d.channel_id
      where f.customer_id = ${customerID} and f.blob_id is not null order by f.failed_mail_id`
  })

  const listKept = (person: Person) =>
    sql`
      select outbox_mail_id as "outboxMailID" from outbox_mail
      where customer_id = ${person.customerID} and ${mailsOf(sql, person)} order by 1`.pipe(Effect.flatMap(decodeKept))

  const headOf = (customerID: CustomerID, blobID: BlobID) =>
    blobs.open(customerID, blobID, { start: 0, end: longestHead - 1 }).pipe(
      Stream.runCollect,
      Effect.map((pieces) => mailHeadOf(Buffer.concat([...pieces])))
    )

  /**
   * Whether a mail is from the person. One from the mailbox itself, such as an answer, is about its recipients, as it
   * is for stored messages.
   */
  const isAbout = (word: RegExp, { from, recipients, writers }: MailHead, mailbox: string | null) =>
    word.test(writers) || (mailbox !== null && from.includes(mailbox) && word.test(recipients))

  return LooseRowsOf.of({
    setAsideMails: fn("LooseRowsOf.setAsideMails")(function* ({ customerID, marks }) {
      if (marks.length === 0) return []
      const word = asRegExp(marks)
      return yield* Effect.filter(yield* Effect.orDie(listSetAside(customerID)), ({ blobID, mailbox }) =>
        Effect.map(headOf(customerID, blobID), (head) => isAbout(word, head, mailbox))
      )
    }),

    outboxMails: fn("LooseRowsOf.outboxMails")(function* (person) {
      const kept = yield* Effect.orDie(listKept(person))
      const ids = kept.map(({ outboxMailID }) => outboxMailID)
      return Chunk.toReadonlyArray(yield* Stream.runCollect(outbox.each(person.customerID, ids)))
    })
  })
})
