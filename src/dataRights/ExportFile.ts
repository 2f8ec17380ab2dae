import * as NodeStream from "@effect/platform-node/NodeStream"
import { SqlClient } from "@effect/sql"
import { Context, Data, Effect, Layer, Schema, Stream, Struct } from "effect"
import JSZip from "jszip"
import { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import type { Counts } from "./DataRequestsRepo.ts"
import type { LooseRows } from "./LooseRows.ts"
import { personalTable, personalTables } from "./PersonalData.ts"
import type { Person } from "./PersonsRepo.ts"
import { type FoundRows, makeTraces } from "./Traces.ts"

class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly cause: unknown }> {}

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

  /** They are opened only when the writer has come to them. */
  const add = <E>(zip: JSZip, name: string, content: Stream.Stream<Uint8Array, E>) =>
    Effect.map(NodeStream.toReadable(Stream.orDie(content)), (readable) =>
      zip.file(name, readable, { createFolders: false })
    )

  return ExportFile.of({
    write: fn("ExportFile.write")(function* (person, loose, found) {
      const traces = tracesOf(person, found)
      const zip = new JSZip()
      const counts: Record<string, number> = {}
      const counted = <A, E>(name: string, rows: Stream.Stream<A, E>) => {
        counts[name] = 0
        return Stream.tap(rows, () => Effect.sync(() => (counts[name] = (counts[name] ?? 0) + 1)))
      }
      for (const table of Struct.keys(personalTables)) {
        const { name, shown } = personalTable(table)
        if (shown === undefined || table === "outbox_mail") continue
        const rows = sql`select ${sql.literal(shown)} from ${sql(table)} where ${traces[table]} order by 1`.stream
        yield* add(zip, `${name}.json`, jsonList(counted(name, rows)))
      }
      yield* add(zip, "OutboxMails.json", jsonList(counted("OutboxMails", Stream.fromIterable(loose.outboxMails))))

      const attachments = yield* sql`
        select ticket_message_attachment_id as id, file_name as "fileName", blob_id as "blobID"
        from ticket_message_attachment where ${traces.ticket_message_attachment} order by 1`.pipe(
        Effect.flatMap(decodeAttachments)
      )
      for (const { blobID, fileName, id } of attachments) {
        yield* add(zip, `attachments/${id}-${safeName(fileName)}`, blobs.open(person.customerID, blobID))
      }
      for (const { blobID, failedMailID } of loose.setAsideMails) {
        yield* add(zip, `set-aside-mails/${failedMailID}.eml`, blobs.open(person.customerID, blobID))
      }
      const bytes = NodeStream.fromReadable<BrokenOff, Uint8Array>(
        () => zip.generateNodeStream({ compression: "DEFLATE", streamFiles: true }),
        (cause) => new BrokenOff({ cause })
      )
      return { bytes: Stream.orDie(bytes), counts }
    }, Effect.orDie)
  })
})
