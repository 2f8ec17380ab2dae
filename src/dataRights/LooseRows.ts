import { SqlClient, SqlSchema } from "@effect/sql"
import { Chunk, Context, Effect, Layer, Schema, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { Outbox } from "../platform/Outbox.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { Person } from "./PersonsRepo.ts"
import { mailsOf } from "./Traces.ts"

const SetAside = Schema.Struct({
  failedMailID: Schema.Int,
  externalID: Schema.String,
  blobID: BlobID
})

export interface LooseRows {
  readonly setAsideMails: ReadonlyArray<typeof SetAside.Type>
  readonly outboxMails: ReadonlyArray<{
    readonly outboxMailID: number
    readonly subject: string
    readonly text: string
  }>
}

/** What one has to look into: no key ties it to a person, or it is encrypted. */
export class LooseRowsOf extends Context.Tag("casework/LooseRowsOf")<
  LooseRowsOf,
  {
    /** Call it outside of transactions: it reads files. */
    readonly setAsideMails: (person: Person) => Effect.Effect<LooseRows["setAsideMails"]>
    /** As they can be read. */
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
    Result: SetAside,
    execute: (customerID) => sql`
      select failed_mail_id as "failedMailID", external_id as "externalID", blob_id as "blobID"
      from failed_mail where customer_id = ${customerID} and blob_id is not null order by failed_mail_id`
  })

  const listKept = (person: Person) =>
    sql`
      select outbox_mail_id as "outboxMailID" from outbox_mail
      where customer_id = ${person.customerID} and ${mailsOf(sql, person)} order by 1`.pipe(Effect.flatMap(decodeKept))

  /** Who wrote a mail, as far as its source says. */
  const senderOf = (customerID: CustomerID, blobID: BlobID) =>
    blobs.open(customerID, blobID, { start: 0, end: longestHead - 1 }).pipe(
      Stream.decodeText("latin1"),
      Stream.runFold("", (text, piece) => text + piece),
      Effect.map((text) => {
        const [head = ""] = text.split(/\r?\n\r?\n/)
        const lines = head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/)
        return lines.filter((line) => /^(?:from|sender|reply-to|return-path):/i.test(line)).join("\n")
      })
    )

  return LooseRowsOf.of({
    setAsideMails: fn("LooseRowsOf.setAsideMails")(function* ({ customerID, marks }) {
      if (marks.length === 0) return []
      const inSender = asRegExp(marks)
      return yield* Effect.filter(yield* Effect.orDie(listSetAside(customerID)), ({ blobID }) =>
        Effect.map(senderOf(customerID, blobID), (sender) => inSender.test(sender))
      )
    }),

    outboxMails: fn("LooseRowsOf.outboxMails")(function* (person) {
      const kept = yield* Effect.orDie(listKept(person))
      const ids = kept.map(({ outboxMailID }) => outboxMailID)
      return Chunk.toReadonlyArray(yield* Stream.runCollect(outbox.each(person.customerID, ids)))
    })
  })
})
