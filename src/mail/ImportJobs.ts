import { Cause, Effect, Layer, Option, Stream } from "effect"
import type { ChannelFolderID, CustomerID } from "../../schema/Ids.ts"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { isClaimLost, type JobClaim } from "../platform/queue/JobClaim.ts"
import { OldWork } from "../platform/queue/JobRank.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { firstLine } from "../platform/text/FirstLine.ts"
import { comeBack } from "./ComeBack.ts"
import { MailFolders, type OpenFolder } from "./MailFolders.ts"
import { MailFoldersRepo } from "./MailFoldersRepo.ts"
import { type DeltaPage, MailGraph, type MailProblem } from "./MailGraph.ts"
import { MailImport } from "./MailImport.ts"
import { folderKey, importFolder, importMessage, importMessages, messageKey, renewSubscription } from "./MailJobs.ts"
import { MailMessagesRepo } from "./MailMessagesRepo.ts"
import { isTheProviders, makePageImport } from "./PageImport.ts"
import { PoisonMail } from "./PoisonMail.ts"
import { WaitingMailsRepo } from "./WaitingMailsRepo.ts"

// Milliseconds after which no more pages are listed: `slice` while other work waits, `longestSlice` in any case.
const slice = 5000
const longestSlice = 60_000

const givenUp = (reason: string) => `Given up: ${reason}`.slice(0, 500)

/** Fetches mail: what is new in a folder, and single messages. */
export const ImportJobs = Layer.effectDiscard(
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const jobs = yield* Jobs
    const graph = yield* MailGraph
    const folders = yield* MailFolders
    const repo = yield* MailFoldersRepo
    const mails = yield* MailMessagesRepo
    const waiting = yield* WaitingMailsRepo
    const mailImport = yield* MailImport
    const poison = yield* PoisonMail
    const importPages = yield* makePageImport
    const now = yield* steadyClock

    /** Fetches one page and the link to continue from; starts over when the provider has forgotten the link. */
    const nextPage = fn("ImportJobs.nextPage")(function* (open: OpenFolder, link: string | null) {
      const externalID = yield* folders.externalID(open)
      const since = open.folder.deltaSince
      return yield* graph.delta(open.mailbox, externalID, { link, since }).pipe(
        Effect.catchIf(
          ({ reason }) => reason === "Expired" && link !== null,
          () => graph.delta(open.mailbox, externalID, { link: null, since })
        )
      )
    })

    const catchUp = fn("ImportJobs.catchUp")(function* (open: OpenFolder, claim: JobClaim) {
      const { customerID, deltaSince: since, folderID } = open.folder
      const mailbox = open.mailbox.address
      const started = now()
      const isOver = () => now() - started > (claim.isCrowded() ? slice : longestSlice)
      let isDone = false
      const moveOn = (from: string | null, { isLast, link }: DeltaPage["next"]) =>
        claim.confirm.pipe(
          Effect.zipRight(repo.moveOn(customerID, folderID, { from, to: link, since, isLast, mailbox })),
          Effect.zipLeft(Effect.when(poison.forgetImported(open), () => isLast)),
          inTransaction,
          Effect.flatMap((moved) =>
            Effect.sync(() => {
              isDone = isLast || !moved
            })
          )
        )
      const pages = Stream.paginateEffect(open.folder.deltaLink, (from) =>
        Effect.map(nextPage(open, from), ({ messageIDs, next }) => [
          { messageIDs, whenStored: moveOn(from, next) },
          next.isLast || isOver() ? Option.none() : Option.some(next.link)
        ])
      )
      yield* importPages(open, pages, claim)
      return isDone ? undefined : new RunAgain({ pauseSeconds: 0 })
    })

    /** A folder that the provider no longer knows may have moved: the job continues at its new place. */
    const orElsewhere = fn("ImportJobs.orElsewhere")(function* (open: OpenFolder, problem: MailProblem) {
      const { customerID, folderID, retrieves } = open.folder
      const found = problem.reason === "Missing" ? yield* folders.findAnew(open) : Option.none()
      if (Option.isNone(found)) return yield* problem
      if (retrieves) {
        yield* jobs.enqueue(renewSubscription, customerID, { folderID, reason: "Expiring" }, folderKey(folderID))
      }
      return new RunAgain({ pauseSeconds: 0 })
    })

    const isNobodysFault = (cause: Cause.Cause<unknown>) => Cause.isInterrupted(cause) || isClaimLost(cause)

    /** Stores the error on the folder at each failed attempt. */
    const noted =
      (customerID: CustomerID, folderID: ChannelFolderID) =>
      <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.tapErrorCause(effect, (cause) => {
          const problem = Option.map(Cause.failureOption(cause), ({ message }) => message)
          const lastError = Option.getOrElse(problem, () => firstLine(cause)).slice(0, 500)
          return isNobodysFault(cause) ? Effect.void : repo.save(customerID, folderID, { lastError })
        })

    yield* jobs.handle(
      importFolder,
      fn("ImportJobs.importFolder")(function* (customerID, { folderID }, claim) {
        const open = yield* noted(customerID, folderID)(folders.open(customerID, folderID))
        if (Option.isNone(open)) return
        return yield* catchUp(open.value, claim).pipe(
          Effect.catchTag("MailProblem", (problem) => orElsewhere(open.value, problem)),
          Effect.provideService(OldWork, true),
          noted(customerID, folderID),
          comeBack
        )
      }),
      (customerID, { folderID }, _claim, reason) => repo.save(customerID, folderID, { lastError: givenUp(reason) })
    )

    yield* jobs.handle(
      importMessages,
      fn("ImportJobs.importMessages")(function* (customerID, { folderID, messageIDs }, claim) {
        const open = yield* noted(customerID, folderID)(folders.open(customerID, folderID))
        if (Option.isNone(open)) return
        const listed = Stream.make({ messageIDs, whenStored: Effect.void })
        return yield* importPages(open.value, listed, claim).pipe(noted(customerID, folderID), comeBack)
      }),
      // The mails are still in the folder, where catching up finds them. Due mails are the exception and get jobs of
      // their own: they were listed before, so they are old or from another folder.
      fn("ImportJobs.giveUpMessages")(function* (customerID, { folderID, messageIDs }, claim, reason) {
        yield* claim.confirm
        const folder = yield* repo.find(customerID, folderID)
        if (Option.isNone(folder)) return
        const due = yield* waiting.findDue(customerID, folder.value.channelID, messageIDs)
        yield* jobs.enqueueAll(
          importMessage,
          due.map((messageID) => ({
            customerID,
            payload: { folderID, messageID },
            key: messageKey(folderID, messageID)
          }))
        )
        yield* repo.save(customerID, folderID, { lastError: givenUp(reason) })
        yield* jobs.enqueue(importFolder, customerID, { folderID }, folderKey(folderID))
      }, inTransaction)
    )

    const importOne = fn("ImportJobs.importOne")(function* (open: OpenFolder, messageID: string, claim: JobClaim) {
      const { channelID, customerID } = open.folder
      const known = yield* mails.known(customerID, channelID, [messageID])
      if (known.has(messageID)) yield* claim.advance({ done: 1, skipped: 1 })
      else {
        const fetched = yield* mailImport.fetch(open, messageID)
        if (Option.isNone(fetched)) return yield* poison.outlive(open, messageID, claim)
        yield* mailImport.store(open.folder, [fetched.value], claim)
      }
      yield* poison.forget(open, messageID)
    })

    yield* jobs.handle(
      importMessage,
      fn("ImportJobs.importMessage")(function* (customerID, { folderID, messageID }, claim) {
        const open = yield* folders.open(customerID, folderID)
        if (Option.isNone(open)) return
        return yield* importOne(open.value, messageID, claim).pipe(
          Effect.tapErrorCause((cause) =>
            isTheProviders(cause) ? Effect.void : poison.record(open.value, messageID, firstLine(cause), claim)
          ),
          comeBack
        )
      }),
      fn("ImportJobs.giveUpMessage")(function* (customerID, { folderID, messageID }, claim, reason) {
        const open = yield* Effect.orElseSucceed(folders.open(customerID, folderID), () => Option.none())
        yield* poison.setAside({ customerID, folderID, messageID, error: reason }, open, claim)
      })
    )
  })
)
