import * as NodeStream from "@effect/platform-node/NodeStream"
import { Context, Data, Effect, Layer, Option, Predicate, Redacted, type Stream } from "effect"
import type { CustomerID, TicketMessageID } from "../../../schema/Ids.ts"
import { StoreAway } from "../BlobTrouble.ts"
import { confirmClaimNow } from "../queue/JobClaim.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { Settings } from "../settings/Settings.ts"
import { fn } from "../telemetry/Fn.ts"
import { Outbox } from "./Outbox.ts"

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly replyTo?: string
  /** The same for every attempt at one message, so that a mailbox shows it once. */
  readonly messageId?: string
  /** The message whose text the mail repeats: when that is erased, so is the mail. */
  readonly about?: TicketMessageID
  /** The mail gives its recipient access: nobody else may read it, not even the customer's own representatives. */
  readonly isConfidential?: boolean
  /** No person wrote the mail: programs that receive it should not reply automatically. */
  readonly isAutomatic?: boolean
  readonly files?: ReadonlyArray<{
    readonly fileName: string
    readonly contentType: string
    readonly bytes: Stream.Stream<Uint8Array>
  }>
}

/** Whether a refusal is due to the sender or a policy, not the recipient, as the command or the enhanced code tells. */
const isAboutUs = (cause: unknown) =>
  (Predicate.hasProperty(cause, "command") && cause.command === "MAIL FROM") ||
  (Predicate.hasProperty(cause, "response") && /^5\d\d[ -]5\.(?:7\.\d+|1\.[78])\b/.test(String(cause.response)))

/** The server accepted the mail, but not for all of its recipients. */
export class SomeRefused extends Data.TaggedError("SomeRefused")<{ readonly message: string }> {}

const saidOf = (rejected: ReadonlyArray<string | { readonly address: string }>, errors: ReadonlyArray<Error>) =>
  rejected
    .map((one, index) =>
      [typeof one === "string" ? one : one.address, errors[index]?.message].filter(Boolean).join(": ")
    )
    .join("; ")

export class MailNotSent extends Data.TaggedError("MailNotSent")<{
  readonly cause: unknown
  /** The server or provider says that it did not accept the mail. */
  readonly isUndone?: boolean
  /** How long the server or provider asks to wait, when it says so. */
  readonly retryAfterSeconds?: number
}> {
  override get message() {
    return this.cause instanceof Error ? this.cause.message : "The mail could not be sent"
  }

  /** Some of the recipients have received the mail, and must not receive it again. */
  get hasLeft() {
    return this.cause instanceof SomeRefused
  }

  /**
   * The mail was certainly not sent: the server said so, none could be reached, or one of the mail's files broke off.
   * If the connection breaks halfway, there is no telling.
   */
  get hasStayed() {
    const { cause } = this
    return (
      this.isUndone === true ||
      cause instanceof StoreAway ||
      Predicate.hasProperty(cause, "responseCode") ||
      (Predicate.hasProperty(cause, "code") && cause.code === "EDNS") ||
      (Predicate.hasProperty(cause, "syscall") && cause.syscall === "connect") ||
      /^(?:Connection timeout|Greeting never received)/.test(this.message)
    )
  }

  /** The receiving side refuses the mail for good. A wrong password or sender does not count, since it may be fixed. */
  get isRefused() {
    const { cause } = this
    return (
      !isAboutUs(cause) &&
      Predicate.hasProperty(cause, "responseCode") &&
      Number(cause.responseCode) >= 500 &&
      Predicate.hasProperty(cause, "code") &&
      (cause.code === "EENVELOPE" || cause.code === "EMESSAGE")
    )
  }
}

/** Mail sent by the service itself: password resets, notifications, replies without a mail provider. */
export class Mailer extends Context.Tag("casework/Mailer")<
  Mailer,
  { readonly send: (customerID: CustomerID, mail: Mail) => Effect.Effect<void, MailNotSent> }
>() {}

const attachmentsOf = (files: NonNullable<Mail["files"]>) =>
  files.map(({ bytes, contentType, fileName }) => ({
    filename: fileName,
    contentType,
    content: NodeStream.toReadableNever(bytes)
  }))

/** Asks for no absence notices or other automatic answers; bounces still come. */
export const noResponses = { name: "X-Auto-Response-Suppress", value: "OOF, AutoReply" } as const

/** Marks a mail that only its recipient may read, so that it is not imported where it arrives. */
export const confidential = { name: "X-Casework-Confidential", value: "1" } as const

const headersOf = (isAutomatic: boolean, isConfidential: boolean) => ({
  ...(isAutomatic && { "Auto-Submitted": "auto-generated", [noResponses.name]: noResponses.value }),
  ...(isConfidential && { [confidential.name]: confidential.value })
})

/** The outbox keeps the text of a mail, and only the names of its files. */
const withNames = ({ files = [], isAutomatic: _, isConfidential: __, ...mail }: Mail) =>
  files.length === 0
    ? mail
    : { ...mail, text: `${mail.text}\n\n${files.map(({ fileName }) => `[${fileName}]`).join("\n")}` }

const connections = 5

const viaSmtp = (url: Redacted.Redacted, from: string) =>
  Effect.gen(function* () {
    // Loaded only where it is used: it is large, and the service should start quickly.
    const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
    const transport = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createTransport({
          url: Redacted.value(url),
          pool: true,
          maxConnections: connections,
          connectionTimeout: 10_000,
          greetingTimeout: 10_000,
          // A server that scans a large mail for viruses is silent meanwhile.
          socketTimeout: 120_000
        })
      ),
      (open) => Effect.sync(() => open.close())
    )
    const turns = yield* Effect.makeSemaphore(connections)

    /**
     * Mail waits for a connection here, not inside the pool: there it would still leave after its sender has given up
     * and is about to send it again. A mail that has a connection keeps it until the server has responded.
     */
    const inTurn = <A, E, R>(leave: Effect.Effect<A, E, R>) =>
      Effect.disconnect(turns.withPermits(1)(Effect.uninterruptible(leave)))

    return Mailer.of({
      send: fn("Mailer.send")(function* (
        _customerID,
        { about: _, files = [], isAutomatic = false, isConfidential = false, ...mail }
      ) {
        const sent = Effect.tryPromise({
          try: () =>
            transport.sendMail({
              from,
              ...mail,
              headers: headersOf(isAutomatic, isConfidential),
              attachments: attachmentsOf(files)
            }),
          catch: (cause) => new MailNotSent({ cause })
        })
        const { rejected, rejectedErrors = [] } = yield* inTurn(Effect.zipRight(confirmClaimNow, sent))
        if (rejected.length === 0) return
        const message = `The mail was sent, but not to ${saidOf(rejected, rejectedErrors)}`
        yield* new MailNotSent({ cause: new SomeRefused({ message }) })
      })
    })
  })

const intoOutbox = Effect.map(Outbox, (outbox) =>
  Mailer.of({
    send: fn("Mailer.send")(function* (customerID, mail) {
      const outboxMailID = yield* outbox.keep(customerID, withNames(mail))
      yield* Effect.logInfo("Mail kept in the outbox: SMTP_URL is not set").pipe(
        Effect.annotateLogs({
          outboxMailID,
          read: `npm run admin -- outbox show ${outboxMailID} (with the embedded database: once the service has stopped)`
        })
      )
    })
  })
)

/** SMTP when SMTP_URL is set, otherwise the outbox table and a line in the log. */
export const MailerLive = Layer.scoped(
  Mailer,
  Effect.gen(function* () {
    const { mailFrom, smtpUrl } = yield* Settings
    return Option.isSome(smtpUrl) ? yield* viaSmtp(smtpUrl.value, mailFrom) : yield* intoOutbox
  })
).pipe(Layer.provide(Outbox.layer), Layer.provide(Secrets.layer))
