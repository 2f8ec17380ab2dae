import { Context, Data, Effect, Layer, Option, Redacted } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { Outbox } from "./Outbox.ts"
import { Secrets } from "./Secrets.ts"
import { Settings } from "./Settings.ts"

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export class MailNotSent extends Data.TaggedError("MailNotSent")<{ readonly cause: unknown }> {
  override get message() {
    return this.cause instanceof Error ? this.cause.message : "The mail could not be sent"
  }
}

/** System mail: password resets and notifications. */
export class Mailer extends Context.Tag("casework/Mailer")<
  Mailer,
  { readonly send: (customerID: CustomerID, mail: Mail) => Effect.Effect<void, MailNotSent> }
>() {}

const viaSmtp = (url: Redacted.Redacted, from: string) =>
  Effect.gen(function* () {
    // Loaded only where it is used: it is large, and a start should be quick.
    const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
    const transport = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createTransport({
          url: Redacted.value(url),
          pool: true,
          connectionTimeout: 10_000,
          greetingTimeout: 10_000,
          socketTimeout: 15_000
        })
      ),
      (open) => Effect.sync(() => open.close())
    )
    return Mailer.of({
      send: Effect.fn("Mailer.send")(function* (_customerID, mail) {
        yield* Effect.tryPromise({
          try: () => transport.sendMail({ from, ...mail }),
          catch: (cause) => new MailNotSent({ cause })
        })
      })
    })
  })

const intoOutbox = Effect.map(Outbox, (outbox) =>
  Mailer.of({
    send: Effect.fn("Mailer.send")(function* (customerID, mail) {
      const outboxMailID = yield* outbox.keep(customerID, mail)
      yield* Effect.logInfo("Mail kept in the outbox: SMTP_URL is not set").pipe(
        Effect.annotateLogs({ outboxMailID, to: mail.to, read: `npm run admin -- outbox show ${outboxMailID}` })
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
