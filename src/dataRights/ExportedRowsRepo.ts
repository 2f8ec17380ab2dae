import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { BlobID } from "../files/BlobStore.ts"
import { type PersonalTableName, personalTable } from "./PersonalData.ts"
import { type FoundRows, makePersonalRows } from "./PersonalRowsSql.ts"
import type { Person } from "./PersonsRepo.ts"

const Attachment = Schema.Struct({ id: Schema.Int, fileName: Schema.String, blobID: BlobID })

/** What is kept about a person, as an export shows it. */
export class ExportedRowsRepo extends Context.Tag("casework/ExportedRowsRepo")<
  ExportedRowsRepo,
  {
    readonly attachments: (person: Person, found: FoundRows) => Effect.Effect<ReadonlyArray<typeof Attachment.Type>>
    /** Streamed, since there may be many; empty for a table that is shown elsewhere. */
    readonly rows: (person: Person, found: FoundRows, table: PersonalTableName) => Stream.Stream<unknown>
  }
>() {
  static readonly layer = Layer.effect(
    ExportedRowsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tracesOf = yield* makePersonalRows
  const decodeAttachments = Schema.decodeUnknown(Schema.Array(Attachment))

  return ExportedRowsRepo.of({
    attachments: (person, found) =>
      sql`
        select ticket_message_attachment_id as id, file_name as "fileName", blob_id as "blobID"
        from ticket_message_attachment where ${tracesOf(person, found).ticket_message_attachment} order by 1`.pipe(
        Effect.flatMap(decodeAttachments),
        Effect.orDie
      ),

    rows: (person, found, table) => {
      const { shown } = personalTable(table)
      if (shown === undefined) return Stream.empty
      const { messageIDs, ticketIDs } = person
      const own = sql`(select ${messageIDs}::int[] as own_messages, ${ticketIDs}::int[] as own_tickets) own`
      return Stream.orDie(
        sql`
          select ${sql.literal(shown)} from ${sql(table)}, ${own}
          where ${tracesOf(person, found)[table]} order by 1`.stream
      )
    }
  })
})
