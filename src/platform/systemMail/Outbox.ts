import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import type { CustomerID, TicketMessageID } from "../../../schema/Ids.ts"
import { InTransaction } from "../database/InTransaction.ts"
import { confirmClaim } from "../queue/JobClaim.ts"
import type { Retention } from "../queue/Retention.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { fn } from "../telemetry/Fn.ts"
import { makeOutboxRepo, type OutboxRow } from "./OutboxRepo.ts"

const Content = Schema.parseJson(Schema.Struct({ subject: Schema.String, text: Schema.String }))

const known = ({ createdAt, outboxMailID, recipient }: OutboxRow) => ({ outboxMailID, to: recipient, createdAt })

const place = (customerID: CustomerID) => ({ table: "outbox_mail", column: "content", customerID })

const readAtOnce = 200

/** How long a person may still look for a mail. */
const outboxDays = 90

export const outboxRetention: Retention = { table: "outbox_mail", since: "created_at", for: `${outboxDays} days` }

interface KeepableMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same for every attempt at one message: only the mail of the last attempt is kept. */
  readonly messageId?: string
  readonly about?: TicketMessageID
}

interface KeptMail {
  readonly outboxMailID: number
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly createdAt: Date
}

/** Mail that could not be sent anywhere. Its content is encrypted, since it may hold a reset link. */
export class Outbox extends Context.Tag("casework/Outbox")<
  Outbox,
  {
    /**
     * Keeps a mail. A job's mail is kept only while the job has its claim, so that nothing is kept of a message that
     * was erased meanwhile.
     */
    readonly keep: (customerID: CustomerID, mail: KeepableMail) => Effect.Effect<number>
    /** The newest mails. One whose key is missing must not hide the others: its subject is "(unreadable)". */
    readonly newest: (count: number) => Effect.Effect<ReadonlyArray<KeptMail>>
    /** The mails with these ids, read in batches; those whose key is missing as in `newest`. */
    readonly each: (customerID: CustomerID, outboxMailIDs: ReadonlyArray<number>) => Stream.Stream<KeptMail>
    readonly find: (outboxMailID: number) => Effect.Effect<Option.Option<KeptMail>>
  }
>() {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const inTransaction = yield* InTransaction
      const repo = yield* makeOutboxRepo
      const secrets = yield* Secrets

      const read = Effect.fnUntraced(function* (row: OutboxRow) {
        const { subject, text } = yield* secrets
          .decrypt(place(row.customerID), row.content)
          .pipe(Effect.flatMap(Schema.decode(Content)))
        return { ...known(row), subject, text }
      }, Effect.orDie)
      const readIfPossible = (row: OutboxRow) =>
        Effect.catchAllDefect(read(row), () => Effect.succeed({ ...known(row), subject: "(unreadable)", text: "" }))
      return {
        keep: fn("Outbox.keep")(
          function* (customerID, { about = null, messageId = null, subject, text, to }) {
            const content = secrets.encrypt(place(customerID), yield* Schema.encode(Content)({ subject, text }))
            yield* confirmClaim
            const row = { customerID, recipient: to, content, messageID: messageId, about }
            return (yield* repo.insert(row)).outboxMailID
          },
          inTransaction,
          Effect.orDie
        ),
        newest: fn("Outbox.newest")(function* (count) {
          return yield* Effect.forEach(yield* Effect.orDie(repo.newest(count)), readIfPossible)
        }),
        each: (customerID, outboxMailIDs) =>
          Stream.fromIterable(outboxMailIDs).pipe(
            Stream.grouped(readAtOnce),
            Stream.mapEffect((ids) => Effect.orDie(repo.findOwn({ customerID, ids: [...ids] }))),
            Stream.flattenIterables,
            Stream.mapEffect(readIfPossible)
          ),
        find: fn("Outbox.find")(function* (outboxMailID) {
          const row = yield* Effect.orDie(repo.find(outboxMailID))
          return Option.isNone(row) ? Option.none() : Option.some(yield* read(row.value))
        })
      }
    })
  )
}
