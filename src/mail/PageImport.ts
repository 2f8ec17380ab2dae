import { Cause, Chunk, Duration, Effect, Exit, identity, Option, Stream } from "effect"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import { isClaimLost, type JobClaim } from "../platform/queue/JobClaim.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { firstLine } from "../platform/text/FirstLine.ts"
import type { OpenFolder } from "./MailFolders.ts"
import { MailProblem } from "./MailGraph.ts"
import { type FetchedMail, LongestFetch, MailImport } from "./MailImport.ts"
import { importMessage } from "./MailJobs.ts"
import { MailMessagesRepo } from "./MailMessagesRepo.ts"
import { PoisonMail } from "./PoisonMail.ts"
import { lengthOf, makeWaitingRoom } from "./WaitingRoom.ts"

/** Mails that were listed together, and what to do once the last of them is stored. */
interface ListedMails {
  readonly messageIDs: ReadonlyArray<string>
  readonly whenStored: Effect.Effect<void>
}

// A mail with large files does not hold up the ones after it, up to this many.
const fetchedAhead = 24

// Mails that arrive faster than they can be stored share a transaction.
const storedAtOnce = 8

/** Whether the provider is to blame and not the mail: then it is too early to set the mail aside. */
export const isTheProviders = (cause: Cause.Cause<MailProblem>) =>
  Cause.isInterrupted(cause) ||
  isClaimLost(cause) ||
  Option.exists(Cause.failureOption(cause), ({ reason }) => reason === "Unavailable" || reason === "Blocked")

/** Without a time to come back, the provider may be failing for this mail alone, and forever. */
const isDoubtful = (cause: Cause.Cause<MailProblem>) =>
  !Cause.isInterrupted(cause) &&
  Option.exists(
    Cause.failureOption(cause),
    ({ reason, retryAfterSeconds }) => reason === "Unavailable" && retryAfterSeconds === undefined
  )

// With more failed fetches in a row the mails are not to blame, and the job fails without trying the rest of the page.
// Multiplied by the attempt number, since that becomes less likely with each attempt.
const mostInARow = 8

// During the first attempts the whole job is retried: the provider may recover soon.
const patientAttempts = 2

type Came =
  | {
      readonly _tag: "Mail"
      readonly messageID: string
      readonly exit: Exit.Exit<Option.Option<FetchedMail>, MailProblem>
      /** How many characters it holds while it waits to be stored. */
      readonly length: number
    }
  | { readonly _tag: "PageEnd"; readonly whenStored: Effect.Effect<void> }

const lengthIn = (exit: Exit.Exit<Option.Option<FetchedMail>, MailProblem>) =>
  Exit.isSuccess(exit) && Option.isSome(exit.value) ? lengthOf(exit.value.value.mail) : 0

type CameMail = Extract<Came, { readonly _tag: "Mail" }>

/** Failures of a page's mails that are not decided on until the page ends, or takes so long that it may never. */
interface Doubts {
  readonly arePressing: () => boolean
  mails: ReadonlyArray<CameMail>
  inARow: number
  hasFetched: boolean
}

const noDoubts = { mails: [], inARow: 0, hasFetched: false }

/** Emits everything that has arrived while the last chunk was being stored as one chunk. */
const together = <A, E>(stream: Stream.Stream<A, E>) =>
  Stream.toQueueOfElements(stream, { capacity: storedAtOnce }).pipe(
    Effect.map((queue) => Stream.flattenExitOption(Stream.fromQueue(queue, { maxChunkSize: storedAtOnce }))),
    Stream.unwrapScoped
  )

/**
 * Imports listed mails in order. Listing, fetching and storing overlap: the next mails are fetched while the last ones
 * are being stored.
 */
export const makePageImport = Effect.gen(function* () {
  const jobs = yield* Jobs
  const mails = yield* MailMessagesRepo
  const mailImport = yield* MailImport
  const poison = yield* PoisonMail
  const longest = yield* LongestFetch
  const now = yield* steadyClock

  // Its files may be endless, or the provider slow with all of them: the other mails of the page tell.
  const onTimeout = () =>
    new MailProblem({
      reason: "Unavailable",
      message: `The mail could not be fetched within ${Duration.format(longest)}`
    })

  /**
   * A mail whose file never ends would otherwise take the whole job down again and again. In its own job it has more
   * time.
   */
  const fetch = (open: OpenFolder, messageID: string): Effect.Effect<CameMail> =>
    mailImport.fetch(open, messageID).pipe(
      Effect.timeoutFail({ duration: longest, onTimeout }),
      Effect.exit,
      Effect.map((exit) => ({ _tag: "Mail", messageID, exit, length: lengthIn(exit) }))
    )

  const storeOne = (open: OpenFolder, { exit, messageID }: CameMail, claim: JobClaim) => {
    const postpone = (cause: Cause.Cause<MailProblem>) => poison.postpone(open, messageID, firstLine(cause), claim)
    return Exit.match(exit, {
      onFailure: (cause) => (isTheProviders(cause) && !isDoubtful(cause) ? Effect.failCause(cause) : postpone(cause)),
      onSuccess: Option.match({
        onNone: () => claim.advance({ done: 1, skipped: 1 }),
        onSome: (fetched) =>
          mailImport.store(open.folder, [fetched], claim).pipe(
            Effect.asVoid,
            Effect.catchAllCause((cause) => (isClaimLost(cause) ? Effect.failCause(cause) : postpone(cause)))
          )
      })
    })
  }

  /** Stores as many mails per transaction as fit, and one by one when that fails. */
  const storeMails = (
    open: OpenFolder,
    came: ReadonlyArray<CameMail>,
    claim: JobClaim
  ): Effect.Effect<void, MailProblem> => {
    const fetched = came.flatMap(({ exit }) => (Exit.isSuccess(exit) ? Option.toArray(exit.value) : []))
    const oneByOne = Effect.forEach(came, (one) => storeOne(open, one, claim), { discard: true })
    if (came.length < 2 || fetched.length < came.length) return oneByOne
    return mailImport.store(open.folder, fetched, claim).pipe(
      Effect.matchCauseEffect({
        onFailure: (cause) => (isClaimLost(cause) ? Effect.failCause(cause) : oneByOne),
        onSuccess: (stored) => storeMails(open, came.slice(stored), claim)
      })
    )
  }

  /** Keeps back mails that may or may not be to blame. Fails the whole job when nothing can be fetched any more. */
  const doubt = (came: ReadonlyArray<CameMail>, doubts: Doubts, claim: JobClaim) =>
    Effect.filter(came, (one) => {
      if (Exit.isSuccess(one.exit) || !isDoubtful(one.exit.cause)) {
        doubts.inARow = 0
        doubts.hasFetched ||= Exit.isSuccess(one.exit)
        return Effect.succeed(true)
      }
      doubts.mails = [...doubts.mails, one]
      doubts.inARow += 1
      return doubts.inARow > mostInARow * claim.number ? Effect.failCause(one.exit.cause) : Effect.succeed(false)
    })

  /**
   * Gives each doubtful mail a job of its own, so that the rest goes on, if other mails could be fetched or the first
   * attempts are over. Fails the whole job otherwise, once the page ends. Before that, quick failures can wait: the
   * provider may be away, and a mail that is taken out of its order may miss its ticket.
   */
  const settle = (open: OpenFolder, doubts: Doubts, claim: JobClaim, isPageEnd: boolean) => {
    const doubtful = doubts.mails
    const [first] = doubtful
    const mayBlame = doubts.hasFetched || claim.number > patientAttempts
    if (first === undefined || !(isPageEnd || (mayBlame && doubts.arePressing()))) return Effect.void
    if (!mayBlame && Exit.isFailure(first.exit)) return Effect.failCause(first.exit.cause)
    doubts.mails = []
    return Effect.forEach(doubtful, (one) => storeOne(open, one, claim), { discard: true })
  }

  const store = (
    open: OpenFolder,
    came: ReadonlyArray<Came>,
    doubts: Doubts,
    claim: JobClaim
  ): Effect.Effect<void, MailProblem> => {
    const end = came.findIndex(({ _tag }) => _tag === "PageEnd")
    const mailsFirst = came.slice(0, end < 0 ? came.length : end).filter((one) => one._tag === "Mail")
    const marker = came[end]
    return Effect.gen(function* () {
      const sure = yield* doubt(mailsFirst, doubts, claim)
      if (sure.length > 0) yield* storeMails(open, sure, claim)
      yield* settle(open, doubts, claim, marker !== undefined)
      if (marker?._tag !== "PageEnd") return
      yield* marker.whenStored
      Object.assign(doubts, noDoubts)
      yield* store(open, came.slice(end + 1), doubts, claim)
    })
  }

  /** Finds out which of the listed mails are still to be fetched. */
  const findFresh = fn("PageImport.findFresh")(function* (
    open: OpenFolder,
    { messageIDs, whenStored }: ListedMails,
    claim: JobClaim
  ) {
    const { channelID, customerID, folderID } = open.folder
    const known = yield* mails.known(customerID, channelID, messageIDs)
    const unknown = [...new Set(messageIDs)].filter((messageID) => !known.has(messageID))
    // Mails with a job of their own may have failed here before: fetching them again could use up every attempt.
    const wanted = unknown.map((messageID) => ({ customerID, payload: { folderID, messageID } }))
    const fresh = (yield* jobs.withoutOpen(importMessage, wanted)).map(({ payload }) => payload.messageID)
    const skipped = messageIDs.length - fresh.length
    yield* claim.advance({ total: messageIDs.length, done: skipped, skipped })
    return { fresh, whenStored }
  })

  return <E>(open: OpenFolder, listed: Stream.Stream<ListedMails, E>, claim: JobClaim) =>
    Effect.gen(function* () {
      const started = now()
      // Two such fetches take almost as long as a job may run.
      const arePressing = () => now() - started >= Duration.toMillis(longest)
      const doubts: Doubts = { ...noDoubts, arePressing }
      const room = yield* makeWaitingRoom
      let places = 0
      const fetchInLine = (messageID: string) => {
        const place = places++
        return room.enter(place).pipe(
          Effect.zipRight(fetch(open, messageID)),
          Effect.tap(({ length }) => room.hold(length))
        )
      }
      const storeInLine = (came: ReadonlyArray<Came>) => {
        const lengths = came.flatMap((one) => (one._tag === "Mail" ? [one.length] : []))
        return Effect.zipRight(store(open, came, doubts, claim), room.leave(lengths))
      }
      yield* listed.pipe(
        Stream.mapEffect((some) => findFresh(open, some, claim)),
        Stream.buffer({ capacity: 1 }),
        Stream.mapConcat(({ fresh, whenStored }) => [
          ...fresh.map(fetchInLine),
          Effect.succeed<Came>({ _tag: "PageEnd", whenStored })
        ]),
        Stream.mapEffect(identity, { concurrency: fetchedAhead }),
        together,
        Stream.runForEachChunk((came) => storeInLine(Chunk.toReadonlyArray(came)))
      )
    })
})
