import { Buffer } from "node:buffer"
import { Chunk, Context, Effect, Layer, Ref, Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { Blobs } from "../files/Blobs.ts"
import { keptBytes } from "../files/KeptBytes.ts"
import { Outbox } from "../platform/systemMail/Outbox.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type MailHead, mailHeadOf } from "./MailHead.ts"
import type { Person } from "./PersonsRepo.ts"
import { UnkeyedRowsRepo } from "./UnkeyedRowsRepo.ts"

interface SetAsideMail {
  readonly failedMailID: number
  readonly externalID: string
  readonly blobID: BlobID
}

interface OutboxMail {
  readonly outboxMailID: number
  readonly subject: string
  readonly text: string
}

export interface UnkeyedMails {
  readonly setAsideMails: ReadonlyArray<SetAsideMail>
  readonly outboxMails: ReadonlyArray<OutboxMail>
}

/** Rows that must be read to find whom they are about: no key ties them to a person, or they are encrypted. */
export class UnkeyedRows extends Context.Tag("casework/UnkeyedRows")<
  UnkeyedRows,
  {
    /** Call it outside of transactions: it reads files. */
    readonly setAsideMails: (person: Person) => Effect.Effect<{
      readonly mails: ReadonlyArray<SetAsideMail>
      /** How many of the customer's could not be read because their source is lost: any may be about the person. */
      readonly unreadable: number
    }>
    /** Decrypted. */
    readonly outboxMails: (person: Person) => Effect.Effect<ReadonlyArray<OutboxMail>>
  }
>() {
  static readonly layer = Layer.effect(
    UnkeyedRows,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(UnkeyedRowsRepo.layer))
}

const longestHead = 256 * 1024

const escaped = (word: string) => word.replaceAll(/[[\]\\.^$*+?(){}|/]/g, "\\$&")

const asRegExp = (marks: ReadonlyArray<string>) =>
  new RegExp(`(?<![\\p{L}\\p{N}._+-])(?:${marks.map(escaped).join("|")})(?![\\p{L}\\p{N}_-])`, "iu")

/**
 * Whether a mail is from the person. One from the mailbox itself, such as an answer, is about its recipients, as it is
 * for stored messages.
 */
const isAbout = (word: RegExp, { from, recipients, writers }: MailHead, mailbox: string | null) =>
  word.test(writers) || (mailbox !== null && from.includes(mailbox) && word.test(recipients))

const make = Effect.gen(function* () {
  const repo = yield* UnkeyedRowsRepo
  const blobs = yield* Blobs
  const outbox = yield* Outbox

  // A mail whose source is lost is about nobody, as far as anybody can tell.
  const headOf = (customerID: CustomerID, blobID: BlobID, unreadable: Ref.Ref<number>) =>
    keptBytes(blobs.open(customerID, blobID, { start: 0, end: longestHead - 1 }), (missing) =>
      Effect.zipRight(
        Effect.logWarning("the source of a set-aside mail is lost", missing),
        Ref.update(unreadable, (count) => count + 1)
      )
    ).pipe(
      Stream.runCollect,
      Effect.map((pieces) => mailHeadOf(Buffer.concat([...pieces])))
    )

  return UnkeyedRows.of({
    setAsideMails: fn("UnkeyedRows.setAsideMails")(function* ({ customerID, marks }) {
      if (marks.length === 0) return { mails: [], unreadable: 0 }
      const word = asRegExp(marks)
      const unreadable = yield* Ref.make(0)
      const mails = yield* Effect.filter(yield* repo.setAsideMails(customerID), ({ blobID, mailbox }) =>
        Effect.map(headOf(customerID, blobID, unreadable), (head) => isAbout(word, head, mailbox))
      )
      return { mails, unreadable: yield* Ref.get(unreadable) }
    }),

    outboxMails: fn("UnkeyedRows.outboxMails")(function* (person) {
      const ids = yield* repo.outboxMailIDs(person)
      return Chunk.toReadonlyArray(yield* Stream.runCollect(outbox.each(person.customerID, ids)))
    })
  })
})
