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

const asRegExp = (marks: ReadonlyArray<string>) =>
  new RegExp(`(?<![\\p{L}\\p{N}._+-])(?:${marks.map(escaped).join("|")})(?![\\p{L}\\p{N}_-])`, "iu")

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
    find: fn("LooseRowsOf.find")(function* ({ customerID, marks, ticketIDs }) {
      const tickets = ticketIDs.map((ticketID) => `ticket ${ticketID}`)
      const known = [...marks, ...tickets]
      if (known.length === 0) return { setAsideMails: [], outboxMails: [] }
      const setAside = marks.length === 0 ? [] : yield* Effect.orDie(listSetAside(customerID))
      const inSender = asRegExp(marks)
      const setAsideMails = yield* Effect.filter(setAside, ({ blobID }) =>
        Effect.map(senderOf(customerID, blobID), (sender) => inSender.test(sender))
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
