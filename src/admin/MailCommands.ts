import { Args, Command } from "@effect/cli"
import { Array as Arr, Console, Effect, Option, Stream } from "effect"
import { BlobStore } from "../files/BlobStore.ts"
import { BlobStoreLive } from "../files/BlobStoreLive.ts"
import { FailedMailsRepo, type SetAsideMail } from "../mail/FailedMailsRepo.ts"
import { importMessage, messageKey } from "../mail/MailJobs.ts"
import { ranks } from "../platform/queue/JobRank.ts"
import { JobsRepo } from "../platform/queue/JobsRepo.ts"
import { counted } from "../platform/text/Counted.ts"
import { confirmAtTerminal, yes } from "./Confirmation.ts"
import { printable } from "./Printable.ts"
import { refuse } from "./Refused.ts"
import { isRowID } from "./RowID.ts"

const id = Args.integer({ name: "id" }).pipe(Args.withDescription("The number at the start of its line in mail list"))

const refuseUnknown = (id: number) => refuse(`No mail ${id} is set aside. To list them, run: mail list`)

const setAside = (id: number) =>
  Effect.gen(function* () {
    const repo = yield* FailedMailsRepo
    const found = isRowID(id) ? yield* repo.findSetAside(id) : Option.none()
    return Option.isSome(found) ? found.value : yield* refuseUnknown(id)
  })

const lineOf = ({ attempts, customerID, error, failedMailID, folderID, messageID }: SetAsideMail) =>
  printable(`${failedMailID}  customer ${customerID}  folder ${folderID}  ${messageID}  ${attempts} attempts  ${error}`)

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const mails = yield* Effect.flatMap(FailedMailsRepo, (repo) => repo.setAsideMails)
    yield* Console.log(mails.length === 0 ? "No mail is set aside." : "Mail that was set aside, oldest first")
    for (const mail of mails) yield* Console.log(lineOf(mail))
  })
).pipe(Command.withDescription("List mail that was set aside because it could not be imported"))

const show = Command.make("show", { id }, ({ id }) =>
  Effect.gen(function* () {
    const { blobID, customerID } = yield* setAside(id)
    if (blobID === null)
      return yield* refuse(`The source of mail ${id} could not be stored. Look for the mail in the mailbox.`)
    const source = (yield* BlobStore).get(customerID, blobID)
    // Line by line: it may be large.
    yield* source.pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runForEach((line) => Console.log(printable(line)))
    )
  })
).pipe(Command.withDescription("Show the source of mail that was set aside"), Command.provide(BlobStoreLive))

const retry = Command.make("retry", {}, () =>
  Effect.gen(function* () {
    const jobs = yield* JobsRepo
    const mails = yield* Effect.flatMap(FailedMailsRepo, (repo) => repo.setAsideMails)
    const [left, retried] = Arr.partition(mails, ({ hasChannel }) => hasChannel)
    const imports = retried.map(({ customerID, folderID, messageID }) => ({
      customerID,
      payload: JSON.stringify({ folderID, messageID }),
      key: messageKey(folderID, messageID)
    }))
    yield* jobs.insert(
      { kind: importMessage.kind, rank: ranks.waitedFor, asksModels: false, traceParent: null },
      imports
    )
    if (mails.length === 0) yield* Console.log("No mail is set aside.")
    if (retried.length > 0) {
      yield* Console.log(`Retrying ${counted(retried.length, "mail")}.`)
    }
    if (left.length > 0) {
      const ids = left.map(({ failedMailID }) => failedMailID).join(", ")
      yield* Console.log(
        `Not retried, because the channel was deleted: ${ids}. To remove such mail, run: mail discard <id>`
      )
    }
  })
).pipe(Command.withDescription("Retry the import of all mail that was set aside, except for deleted channels"))

const discard = Command.make("discard", { id, yes }, ({ id, yes }) =>
  Effect.gen(function* () {
    const mail = yield* setAside(id)
    if (!yes) yield* confirmAtTerminal(`This discards mail ${id} with its stored source and cannot be undone.`)
    const isDiscarded = yield* Effect.flatMap(FailedMailsRepo, (repo) => repo.discard(mail))
    if (!isDiscarded) return yield* refuseUnknown(id)
    yield* Console.log(`Discarded: ${lineOf(mail)}`)
  })
).pipe(Command.withDescription("Discard mail that was set aside, with its stored source; the mailbox is not changed"))

export const mailCommands = Command.make("mail").pipe(
  Command.withDescription("Manage mail that could not be imported"),
  Command.withSubcommands([list, show, retry, discard])
)
