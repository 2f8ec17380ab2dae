import { Buffer } from "node:buffer"
import { Chunk, Context, Effect, Layer, Stream } from "effect"
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
    readonly setAsideMails: (person: Person) => Effect.Effect<ReadonlyArray<SetAsideMail>>
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
  const headOf = (customerID: CustomerID, blobID: BlobID) =>
    keptBytes(blobs.open(customerID, blobID, { start: 0, end: longestHead - 1 }), (missing) =>
      Effect.logWarning("the source of a set-aside mail is lost", missing)
    ).pipe(
      Stream.runCollect,
      Effect.map((pieces) => mailHeadOf(Buffer.concat([...pieces])))
    )

  return UnkeyedRows.of({
    setAsideMails: fn("UnkeyedRows.setAsideMails")(function* ({ customerID, marks }) {
      if (marks.length === 0) return []
      const word = asRegExp(marks)
      return yield* Effect.filter(yield* repo.setAsideMails(customerID), ({ blobID, mailbox }) =>
        Effect.map(headOf(customerID, blobID), (head) => isAbout(word, head, mailbox))
      )
    }),

    outboxMails: fn("UnkeyedRows.outboxMails")(function* (person) {
      const ids = yield* repo.outboxMailIDs(person)
      return Chunk.toReadonlyArray(yield* Stream.runCollect(outbox.each(person.customerID, ids)))
    })
  })
})
