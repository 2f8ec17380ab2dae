import { SqlClient, SqlSchema } from "@effect/sql"
import { Chunk, Context, Effect, Layer, Schema, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { Outbox } from "../platform/Outbox.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { Person } from "./PersonsRepo.ts"

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

/** What no key ties to a person: one has to look into it. */
export class LooseRowsOf extends Context.Tag("casework/LooseRowsOf")<
  LooseRowsOf,
  {
    /** Call it outside of transactions: it reads files. */
    readonly find: (person: Person) => Effect.Effect<LooseRows>
  }
>() {
  static readonly layer = Layer.effect(
    LooseRowsOf,
    Effect.suspend(() => make)
  )
}

const longestHead = 256 * 1024

const escaped = (word: string) => word.replaceAll(/[[\]\\.^$*+?(){}|/]/g, "\\$&")

const asRegExp = (words: ReadonlyArray<string>) =>
  new RegExp(`(?<![\\p{L}\\p{N}._+-])(?:${words.map(escaped).join("|")})(?![\\p{L}\\p{N}_-])`, "iu")

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const outbox = yield* Outbox

  const listSetAside = SqlSchema.findAll({
    Request: CustomerID,
    Result: SetAside,
    execute: (customerID) => sql`
      select failed_mail_id as "failedMailID", external_id as "externalID", blob_id as "blobID"
      from failed_mail where customer_id = ${customerID} and blob_id is not null order by failed_mail_id`
  })

  /** The head of a mail's source: who wrote it, and to whom. */
  const headOf = (customerID: CustomerID, blobID: BlobID) =>
    blobs.open(customerID, blobID, { start: 0, end: longestHead - 1 }).pipe(
      Stream.decodeText("latin1"),
      Stream.runFold("", (text, piece) => text + piece),
      Effect.map((text) => text.split(/\r?\n\r?\n/)[0] ?? "")
    )

  return LooseRowsOf.of({
    find: fn("LooseRowsOf.find")(function* ({ customerID, ticketIDs, words }) {
      const tickets = ticketIDs.map((ticketID) => `ticket ${ticketID}`)
      const known = [...words, ...tickets]
      if (known.length === 0) return { setAsideMails: [], outboxMails: [] }
      const setAside = words.length === 0 ? [] : yield* Effect.orDie(listSetAside(customerID))
      const inHead = asRegExp(words)
      const setAsideMails = yield* Effect.filter(setAside, ({ blobID }) =>
        Effect.map(headOf(customerID, blobID), (head) => inHead.test(head))
      )
      const inMail = asRegExp(known)
      const outboxMails = yield* outbox.ofCustomer(customerID).pipe(
        Stream.filter(({ subject, text, to }) => inMail.test(`${to}\n${subject}\n${text}`)),
        Stream.runCollect,
        Effect.map(Chunk.toReadonlyArray)
      )
      return { setAsideMails, outboxMails }
    })
  })
})
