import { Context, Effect, Layer, Option, Schema } from "effect"
import { NotFound } from "../../schema/Errors.ts"
import { DataRequestsRepo } from "../endUsers/DataRequestsRepo.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { Blobs } from "../files/Blobs.ts"
import type { OpenFile } from "../files/OpenFile.ts"
import { fn } from "../platform/telemetry/Fn.ts"

export class Files extends Context.Tag("casework/Files")<
  Files,
  {
    /** Public: the token is the key. */
    readonly open: (accessToken: string) => Effect.Effect<OpenFile, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Files,
    Effect.suspend(() => make)
  )
}

const isToken = Schema.is(Schema.UUID)

const make = Effect.gen(function* () {
  const repo = yield* AttachmentsRepo
  const exports = yield* DataRequestsRepo
  const blobs = yield* Blobs

  const findExport = (accessToken: string) =>
    Effect.map(
      exports.findByToken(accessToken),
      Option.flatMap(({ blobID, customerID, endUserID, size }) =>
        blobID === null || size === null
          ? Option.none()
          : Option.some({
              customerID,
              blobID,
              size,
              accessToken,
              fileName: `end-user-${endUserID}.zip`,
              contentType: "application/zip"
            })
      )
    )

  return Files.of({
    open: fn("Files.open")(function* (accessToken) {
      const found = isToken(accessToken)
        ? yield* Effect.flatMap(
            repo.findByToken(accessToken),
            Option.match({ onSome: Effect.succeedSome, onNone: () => findExport(accessToken) })
          )
        : Option.none()
      if (Option.isNone(found)) return yield* NotFound.of("There is no such file.")
      const { blobID, customerID, ...file } = found.value
      // The file behind a token never changes, so the token can serve as the ETag.
      return { ...file, etag: `"${file.accessToken}"`, ...blobs.reader(customerID, blobID) }
    })
  })
})
