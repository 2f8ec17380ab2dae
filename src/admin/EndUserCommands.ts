import { Args, Command, Options } from "@effect/cli"
import { FileSystem } from "@effect/platform"
import { Console, DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { EndUserErasure } from "../../schema/DataRights.ts"
import { type CustomerID, EndUserID } from "../../schema/Ids.ts"
import { AuditLog } from "../auth/AuditLog.ts"
import { DataRights } from "../dataRights/DataRights.ts"
import { DataRightsWork } from "../dataRights/DataRightsWork.ts"
import { erasureOf } from "../dataRights/Receipts.ts"
import { type DataRequest, type DataRequestKind, DataRequestsRepo } from "../endUsers/DataRequestsRepo.ts"
import { EndUsersRepo } from "../endUsers/EndUsersRepo.ts"
import { BlobStoreLive } from "../files/BlobStoreLive.ts"
import { Blobs } from "../files/Blobs.ts"
import { BlobsRepo } from "../files/BlobsRepo.ts"
import { MailMessagesRepo } from "../mail/MailMessagesRepo.ts"
import { SentMailsRepo } from "../mail/SentMailsRepo.ts"
import { UnsentDraftsLive } from "../mail/UnsentDraftsLive.ts"
import { Stopping } from "../platform/concurrency/Stopping.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { confirmAtTerminal, yes } from "./Confirmation.ts"
import { customer } from "./CustomerArgument.ts"
import { Provisioning } from "./Provisioning.ts"
import { refuse } from "./Refused.ts"

/** Runs the job itself, since the service may be stopped; a running service may just as well take the job first. */
export const EndUserTools = DataRightsWork.pipe(
  Layer.provideMerge(DataRights.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      AuditLog.layer,
      DataRequestsRepo.layer,
      EndUsersRepo.layer,
      MailMessagesRepo.layer,
      UnsentDraftsLive.pipe(Layer.provide(SentMailsRepo.layer))
    )
  ),
  Layer.provideMerge(Blobs.layer),
  Layer.provide(BlobsRepo.layer),
  Layer.provide(BlobStoreLive),
  Layer.provideMerge(Jobs.layer.pipe(Layer.provide(Stopping.layer)))
)

const endUser = Args.integer({ name: "endUserID" }).pipe(Args.withDescription("The EndUserID, as in the API"))

const file = Options.text("file").pipe(
  Options.withDescription("Where to write the zip file; default: end-user-<id>.zip"),
  Options.optional
)

const decodeID = Schema.decodeOption(EndUserID)

const isOver = ({ status }: DataRequest) => status === "Succeeded" || status === "Failed"

const patience: Readonly<Record<DataRequestKind, string>> = {
  Export: "Exporting; this may take a minute or two.",
  Erasure: "Erasing; this takes a little over six minutes. If you stop waiting, a running service finishes it."
}

/** Requests the export or erasure and waits until it is done. */
const carryOut = (customerID: CustomerID, endUserID: number, kind: DataRequestKind) =>
  Effect.gen(function* () {
    const rights = yield* DataRights
    const missing = `The customer has no end user ${endUserID}.`
    const known = decodeID(endUserID)
    if (Option.isNone(known)) return yield* refuse(missing)
    const ask = rights
      .request(customerID, known.value, kind, null)
      .pipe(Effect.catchTag("NotFound", () => refuse(missing)))
    const begun = yield* ask
    if (!isOver(begun)) yield* Console.error(patience[kind])
    // An export stays valid for a day. Asking again returns the same file, so the operator is told when it was made.
    else if (kind === "Export" && begun.finishedAt !== null && begun.expiresAt !== null) {
      const [made, until] = [begun.finishedAt, begun.expiresAt].map(DateTime.formatIso)
      yield* Console.error(
        `This export was created at ${made}. A new one can be created after it expires, at ${until}.`
      )
    }
    const repo = yield* DataRequestsRepo
    const ended = yield* repo
      .findByJob(customerID, begun.jobID)
      .pipe(Effect.flatten, Effect.orDie, Effect.delay("250 millis"), Effect.repeat({ until: isOver }))
    return ended.status === "Succeeded"
      ? ended
      : yield* refuse(`It failed. GET /api/Jobs/${ended.jobID} returns the reason.`)
  })

/** An existing file keeps its mode when overwritten, which may let other users read it. */
const hideIfThere = (path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const isFile = yield* files.stat(path).pipe(
      Effect.map(({ type }) => type === "File"),
      Effect.orElseSucceed(() => false)
    )
    if (isFile) yield* files.chmod(path, 0o600)
  })

const exportCommand = Command.make("export", { customer, endUser, file }, ({ customer, endUser, file }) =>
  Effect.gen(function* () {
    const { customerID } = yield* Effect.flatMap(Provisioning, (them) => them.customerNamed(customer))
    const { blobID, counts, hash } = yield* carryOut(customerID, endUser, "Export")
    if (blobID === null) return yield* refuse("The file has already been removed. Try again.")
    const blobs = yield* Blobs
    const files = yield* FileSystem.FileSystem
    const path = Option.getOrElse(file, () => `end-user-${endUser}.zip`)
    yield* hideIfThere(path).pipe(
      Effect.zipRight(Stream.run(blobs.open(customerID, blobID), files.sink(path, { mode: 0o600 }))),
      Effect.catchAll(() => refuse(`Cannot write ${path}. Choose another path with --file.`))
    )
    const found = Object.entries(counts).map(([name, count]) => `${name} ${count}`)
    yield* Console.log(`${path}\nSHA-256 ${hash}\n${found.join(", ")}`)
  })
).pipe(Command.withDescription("Export everything stored about an end user into a zip file"))

const encode = Schema.encode(EndUserErasure)

const erase = Command.make("erase", { customer, endUser, yes }, ({ customer, endUser, yes }) =>
  Effect.gen(function* () {
    const { customerID, name } = yield* Effect.flatMap(Provisioning, (them) => them.customerNamed(customer))
    if (!yes) yield* confirmAtTerminal(`This erases end user ${endUser} of "${name}" and cannot be undone.`)
    const receipt = yield* Effect.flatMap(carryOut(customerID, endUser, "Erasure"), (ended) =>
      Effect.orDie(encode(erasureOf(ended)))
    )
    yield* Console.log(`Erased. This is the receipt:\n${JSON.stringify(receipt, null, 2)}`)
  })
).pipe(
  Command.withDescription(
    "Erase an end user and everything stored about them; their tickets remain, empty. This cannot be undone"
  )
)

export const endUserCommands = Command.make("end-user").pipe(
  Command.withDescription("Export or erase the data of an end user"),
  Command.withSubcommands([exportCommand, erase])
)
