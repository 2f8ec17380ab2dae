import { Context, Effect, Layer, Queue } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { type Mail, Mailer, MailNotSent, SomeRefused } from "../../src/platform/systemMail/Mailer.ts"

/** A mailer that keeps what it is given, for the test to read. Among several recipients it rejects nobody@. */
export class TestMailer extends Context.Tag("test/TestMailer")<
  TestMailer,
  {
    readonly next: Effect.Effect<Mail & { readonly customerID: CustomerID }>
    readonly count: Effect.Effect<number>
    /**
     * From now on sending fails with this cause, after what happens while it is tried; without a cause, it accepts mail
     * again.
     */
    readonly fail: (cause?: unknown, meanwhile?: Effect.Effect<void>) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const mails = yield* Queue.unbounded<Mail & { readonly customerID: CustomerID }>()
      let failure: MailNotSent | undefined
      let before: Effect.Effect<void> = Effect.void
      const fail = (cause?: unknown, meanwhile: Effect.Effect<void> = Effect.void) =>
        Effect.sync(() => {
          failure = cause === undefined ? undefined : new MailNotSent({ cause })
          before = meanwhile
        })
      return Context.make(TestMailer, { next: Queue.take(mails), count: Queue.size(mails), fail }).pipe(
        Context.add(Mailer, {
          send: (customerID, mail) =>
            Effect.suspend(() =>
              failure === undefined
                ? Effect.zipRight(
                    Queue.offer(mails, { ...mail, customerID }),
                    /,.*nobody@/.test(mail.to)
                      ? new MailNotSent({ cause: new SomeRefused({ message: "The mail was sent, but not to nobody" }) })
                      : Effect.void
                  )
                : Effect.zipRight(before, failure)
            )
        })
      )
    })
  )
}
