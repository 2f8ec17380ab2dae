import { Context, Duration, Effect, Layer, Option } from "effect"
import type { ChannelID, CustomerID, TicketID } from "../../schema/Ids.ts"
import { EndUsers } from "../endUsers/EndUsers.ts"
import { AttachmentsRepo } from "../files/AttachmentsRepo.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { OldWork } from "../platform/queue/JobRank.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { mails } from "../platform/telemetry/ServiceMetrics.ts"
import type { Incoming } from "../ticketMessages/IncomingMessage.ts"
import { textOfHtml } from "../ticketMessages/MessageHtml.ts"
import { NewMessages } from "../ticketMessages/NewMessages.ts"
import { isConfidentialMail } from "./ConfidentialMail.ts"
import { type KeptFile, MailFiles } from "./MailFiles.ts"
import type { OpenFolder } from "./MailFolders.ts"
import type { MailFolder } from "./MailFoldersRepo.ts"
import { type Mailbox, MailGraph, MailProblem } from "./MailGraph.ts"
import { importMessages } from "./MailJobs.ts"
import { MailMessagesRepo } from "./MailMessagesRepo.ts"
import { type ReadMail, readMail } from "./ReadMail.ts"
import { isAnswer, threadOf } from "./Threading.ts"
import { WaitingMailsRepo } from "./WaitingMailsRepo.ts"

/** A mail with its files, ready to be put into a ticket. */
export interface FetchedMail {
  readonly mail: ReadMail
  readonly files: ReadonlyArray<KeptFile>
  readonly links: ReadonlyArray<string>
}

/**
 * How long fetching a mail may take while others wait for it. Longer than the retries against a busy provider last; two
 * such fetches still fit into the time limit of a job, so that the mail is blamed and not the job.
 */
export class LongestFetch extends Context.Reference<LongestFetch>()("casework/LongestFetch", {
  defaultValue: () => Duration.seconds(270)
}) {}

/** Imports mail into tickets, each mail once per channel. */
export class MailImport extends Context.Tag("casework/MailImport")<
  MailImport,
  {
    /** None when the mail is gone, was never sent, or is confidential. */
    readonly fetch: (open: OpenFolder, messageID: string) => Effect.Effect<Option.Option<FetchedMail>, MailProblem>
    /**
     * Stores as many of the first mails as fit into one transaction and returns how many. The same transaction updates
     * the job's progress and is fenced by its claim.
     */
    readonly store: (folder: MailFolder, fetched: ReadonlyArray<FetchedMail>, claim: JobClaim) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.effect(
    MailImport,
    Effect.suspend(() => make)
  )
}

/** The text, followed by links to files that the mail only refers to. */
const textWith = (text: string | undefined, links: ReadonlyArray<string>) =>
  links.length === 0 ? text : [text ?? "", ...links].join("\n\n").trim()

const isMissing = ({ reason }: MailProblem) => reason === "Missing"

const mailboxAway = ({ message }: MailProblem) =>
  new MailProblem({ reason: "Unavailable", message: `The mailbox itself was not found. ${message}` })

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const graph = yield* MailGraph
  const mailFiles = yield* MailFiles
  const repo = yield* MailMessagesRepo
  const waiting = yield* WaitingMailsRepo
  const attachments = yield* AttachmentsRepo
  const newMessages = yield* NewMessages
  const endUsers = yield* EndUsers
  const jobs = yield* Jobs

  /**
   * None when it does not exist, or no longer does. While the whole mailbox is away, as when it is moved or restored,
   * its mails are missing too, and none of them is gone.
   */
  const messageOf = (mailbox: Mailbox, messageID: string) =>
    Effect.catchIf(Effect.asSome(graph.message(mailbox, messageID)), isMissing, () =>
      graph.folder(mailbox, "inbox").pipe(Effect.catchIf(isMissing, mailboxAway), Effect.zipRight(Effect.succeedNone))
    )

  /** Files may be missing because their mail is gone. While the mail exists, it must not be lost together with them. */
  const filesOf = (customerID: CustomerID, mailbox: Mailbox, messageID: string) =>
    Effect.asSome(mailFiles.fetch(customerID, mailbox, messageID)).pipe(
      Effect.catchIf(isMissing, (problem) =>
        Effect.flatMap(messageOf(mailbox, messageID), (mail) =>
          Option.isSome(mail) ? Effect.fail(problem) : Effect.succeedNone
        )
      )
    )

  /** Creates the end user of a new question before the mail is stored: that keeps the storing transaction short. */
  const makeKnown = fn("MailImport.makeKnown")(function* (customerID: CustomerID, mail: ReadMail) {
    const { fromAddress, fromName, isOurs } = mail
    if (isOurs || fromAddress === undefined || isAnswer(mail.hints)) return
    yield* endUsers.forSender(customerID, { fromAddress, fromName })
  })

  const findThread = fn("MailImport.findThread")(function* (
    customerID: CustomerID,
    channelID: ChannelID,
    mail: ReadMail
  ) {
    const known = yield* repo.findRelated(customerID, channelID, mail)
    return threadOf(mail.hints, known, yield* repo.findTokens(customerID, channelID, mail.hints.tokens))
  })

  const addMessage = fn("MailImport.addMessage")(function* (
    customerID: CustomerID,
    channelID: ChannelID,
    { files, links, mail }: FetchedMail,
    number: number,
    ticketID: TicketID | undefined
  ) {
    // A mail that the customer sent from elsewhere belongs to a conversation that may be imported later, for instance
    // from another folder; on its own it is nobody's question.
    if (mail.isOurs && ticketID === undefined) {
      yield* waiting.letWait(customerID, number, mail)
      return []
    }
    const given = {
      ticketID,
      subject: mail.subject,
      htmlBody: mail.html,
      textBody: textWith(mail.text, mail.html === undefined ? links : []),
      // Only given when there are links: otherwise the text is derived from the HTML when the message is stored.
      message: mail.html === undefined || links.length === 0 ? undefined : textWith(textOfHtml(mail.html), links),
      fromAddress: mail.fromAddress,
      fromName: mail.fromName,
      toAddress: mail.toAddress,
      messageDate: mail.date
    } satisfies { readonly [Field in keyof Incoming]: Incoming[Field] | undefined }
    const { ticketMessageID } = yield* newMessages
      .add(customerID, {
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
        channelID,
        isAutomatic: mail.isAutomatic,
        ...(mail.isOurs && { senderType: "CustomerRep", status: "Sent" })
      })
      .pipe(Effect.catchTag("BadRequest", Effect.die))
    yield* Effect.forEach(files, (file) =>
      attachments.insert(customerID, ticketMessageID, { ...file, isEndUserProvided: !mail.isOurs })
    ).pipe(Effect.catchTag("MissingReference", Effect.die))
    yield* repo.setTicketMessage(customerID, number, ticketMessageID)
    return yield* waiting.callWaiting(customerID, channelID, mail)
  })

  /** Imports answers whose question has now come. They are not old work even in an old import: people wait for them. */
  const importAgain = ({ customerID, folderID }: MailFolder, messageIDs: ReadonlyArray<string>) =>
    jobs.enqueue(importMessages, customerID, { folderID, messageIDs }).pipe(
      Effect.provideService(OldWork, false),
      Effect.when(() => messageIDs.length > 0)
    )

  return MailImport.of({
    fetch: fn("MailImport.fetch")(function* ({ folder, mailbox }, messageID) {
      const message = yield* messageOf(mailbox, messageID)
      if (Option.isNone(message) || message.value.isDraft === true) return Option.none()
      if (isConfidentialMail(message.value)) return Option.none()
      const mail = readMail(message.value, mailbox.address)
      // A copy is only noted: its sender may have been deleted since, and its files would be stored for nothing.
      const isCopy = yield* repo.isCopy(folder.customerID, folder.channelID, mail)
      if (!isCopy) yield* makeKnown(folder.customerID, mail)
      if (isCopy || !mail.mayHaveAttachments) return Option.some({ mail, files: [], links: [] })
      return Option.map(yield* filesOf(folder.customerID, mailbox, messageID), (kept) => ({ mail, ...kept }))
    }),

    store: fn("MailImport.store")(
      function* (folder, fetched, claim) {
        const { channelID, customerID } = folder
        let [imported, skipped] = [0, 0]
        const called: Array<string> = []
        yield* repo.lock(customerID, channelID)
        for (const one of fetched) {
          const ticketID = yield* findThread(customerID, channelID, one.mail)
          // A mail that joins a ticket locks rows that other transactions use too; a second one in the same transaction
          // could deadlock.
          if ((ticketID !== undefined || isAnswer(one.mail.hints)) && imported + skipped > 0) break
          const number = yield* repo.insert(customerID, channelID, one.mail)
          if (Option.isSome(number)) {
            called.push(...(yield* addMessage(customerID, channelID, one, number.value, ticketID)))
            imported += 1
          } else skipped += 1
        }
        yield* importAgain(folder, called)
        yield* claim.advance({ done: imported + skipped, imported, skipped })
        return { imported, skipped }
      },
      inTransaction,
      Effect.map(({ imported, skipped }) => {
        mails.add({ outcome: "imported" }, imported)
        mails.add({ outcome: "skipped" }, skipped)
        return imported + skipped
      })
    )
  })
})
