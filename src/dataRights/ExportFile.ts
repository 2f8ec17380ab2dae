import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schema, Stream, Struct } from "effect"
import JSZip from "jszip"
import { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { type ZippedFile, zipStream } from "../files/ZipStream.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { Counts } from "./DataRequestsRepo.ts"
import type { LooseRows } from "./LooseRows.ts"
import { personalTable, personalTables } from "./PersonalData.ts"
import type { Person } from "./PersonsRepo.ts"
import { type FoundRows, makeTraces } from "./Traces.ts"

const Attachments = Schema.Array(Schema.Struct({ id: Schema.Int, fileName: Schema.String, blobID: BlobID }))

/** Everything about a person as a zip, written while it is read: no part of it is ever held whole. */
export class ExportFile extends Context.Tag("casework/ExportFile")<
  ExportFile,
  {
    readonly write: (
      person: Person,
      loose: LooseRows,
      found: FoundRows
    ) => Effect.Effect<{
      readonly bytes: Stream.Stream<Uint8Array>
      /** They hold once the stream has come to its end. */
      readonly counts: Counts
    }>
  }
>() {
  static readonly layer = Layer.effect(
    ExportFile,
    Effect.suspend(() => make)
  )
}

const encoder = new TextEncoder()

const jsonList = <E>(rows: Stream.Stream<unknown, E>) =>
  Stream.make("[").pipe(
    Stream.concat(
      Stream.intersperse(
        Stream.map(rows, (row) => `\n${JSON.stringify(row, null, 2)}`),
        ","
      )
    ),
    Stream.concat(Stream.make("\n]\n")),
    Stream.map((text) => encoder.encode(text))
  )

const safeName = (fileName: string) => fileName.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_").slice(-100)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const tracesOf = yield* makeTraces
  const decodeAttachments = Schema.decodeUnknown(Attachments)

  const fileOf = <E>(name: string, content: Stream.Stream<Uint8Array, E>): ZippedFile => ({
    name,
    content: Stream.orDie(content),
    options: { createFolders: false }
  })

  return ExportFile.of({
    write: fn("ExportFile.write")(function* (person, loose, found) {
      const traces = tracesOf(person, found)
      const counts: Record<string, number> = {}
      const counted = <A, E>(name: string, rows: Stream.Stream<A, E>) => {
        counts[name] = 0
        return Stream.tap(rows, () => Effect.sync(() => (counts[name] = (counts[name] ?? 0) + 1)))
      }
      const { messageIDs, ticketIDs } = person
      const own = sql`(select ${messageIDs}::int[] as own_messages, ${ticketIDs}::int[] as own_tickets) own`
      const attachments = yield* sql`
        select ticket_message_attachment_id as id, file_name as "fileName", blob_id as "blobID"
        from ticket_message_attachment where ${traces.ticket_message_attachment} order by 1`.pipe(
        Effect.flatMap(decodeAttachments)
      )
      const tables = Struct.keys(personalTables).flatMap((table) => {
        const { name, shown } = personalTable(table)
        if (shown === undefined || table === "outbox_mail") return []
        const rows = sql`
          select ${sql.literal(shown)} from ${sql(table)}, ${own} where ${traces[table]} order by 1`.stream
        return [fileOf(`${name}.json`, jsonList(counted(name, rows)))]
      })
      const files = [
        ...tables,
        fileOf("OutboxMails.json", jsonList(counted("OutboxMails", Stream.fromIterable(loose.outboxMails)))),
        ...attachments.map(({ blobID, fileName, id }) =>
          fileOf(`attachments/${id}-${safeName(fileName)}`, blobs.open(person.customerID, blobID))
        ),
        ...loose.setAsideMails.map(({ blobID, failedMailID }) =>
          fileOf(`set-aside-mails/${failedMailID}.eml`, blobs.open(person.customerID, blobID))
        )
      ]
      return { bytes: zipStream(() => new JSZip(), files, { streamFiles: true }), counts }
    }, Effect.orDie)
  })
})
