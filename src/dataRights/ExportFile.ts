import { Context, Effect, Layer, Stream, Struct } from "effect"
import JSZip from "jszip"
import type { Counts } from "../endUsers/DataRequestsRepo.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { keptBytes } from "../files/KeptBytes.ts"
import { type ZippedFile, zipStream } from "../files/ZipStream.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ExportedRowsRepo } from "./ExportedRowsRepo.ts"
import { personalTable, personalTables } from "./PersonalData.ts"
import type { FoundRows } from "./PersonalRowsSql.ts"
import type { Person } from "./PersonsRepo.ts"
import type { UnkeyedMails } from "./UnkeyedRows.ts"

/** Everything about a person as a zip, produced while it is read: no part of it is ever held in memory as a whole. */
export class ExportFile extends Context.Tag("casework/ExportFile")<
  ExportFile,
  {
    readonly write: (
      person: Person,
      unkeyed: UnkeyedMails,
      found: FoundRows
    ) => Effect.Effect<{
      readonly bytes: Stream.Stream<Uint8Array>
      /** Complete once the stream has ended. */
      readonly counts: Counts
    }>
  }
>() {
  static readonly layer = Layer.effect(
    ExportFile,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(ExportedRowsRepo.layer))
}

const encoder = new TextEncoder()

const jsonList = (rows: Stream.Stream<unknown>) =>
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

const fileOf = (name: string, content: Stream.Stream<Uint8Array>): ZippedFile => ({
  name,
  content,
  options: { createFolders: false }
})

const make = Effect.gen(function* () {
  const repo = yield* ExportedRowsRepo
  const blobs = yield* Blobs

  return ExportFile.of({
    write: fn("ExportFile.write")(function* (person, unkeyed, found) {
      const counts: Record<string, number> = {}
      const counted = <A>(name: string, rows: Stream.Stream<A>) => {
        counts[name] = 0
        return Stream.tap(rows, () => Effect.sync(() => (counts[name] = (counts[name] ?? 0) + 1)))
      }
      const missing: Array<{ readonly file: string }> = []
      const blobOf = (name: string, blobID: BlobID) =>
        fileOf(
          name,
          keptBytes(blobs.open(person.customerID, blobID), (trouble) =>
            Effect.zipRight(
              Effect.logWarning("an export is without a file", trouble),
              Effect.sync(() => missing.push({ file: name }))
            )
          )
        )
      const attachments = yield* repo.attachments(person, found)
      const tables = Struct.keys(personalTables).flatMap((table) => {
        const { name, shown } = personalTable(table)
        if (shown === undefined || table === "outbox_mail") return []
        return [fileOf(`${name}.json`, jsonList(counted(name, repo.rows(person, found, table))))]
      })
      const files = [
        ...tables,
        fileOf("OutboxMails.json", jsonList(counted("OutboxMails", Stream.fromIterable(unkeyed.outboxMails)))),
        ...attachments.map(({ blobID, fileName, id }) => blobOf(`attachments/${id}-${safeName(fileName)}`, blobID)),
        ...unkeyed.setAsideMails.map(({ blobID, failedMailID }) =>
          blobOf(`set-aside-mails/${failedMailID}.eml`, blobID)
        ),
        // Last, since what is missing shows while the files are read.
        fileOf(
          "MissingFiles.json",
          jsonList(
            counted(
              "MissingFiles",
              Stream.suspend(() => Stream.fromIterable(missing))
            )
          )
        )
      ]
      return { bytes: zipStream(() => new JSZip(), files, { streamFiles: true }), counts }
    })
  })
})
