import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { type Mail, Mailer, MailNotSent } from "../platform/Mailer.ts"
import { beforeItLeaves } from "../platform/queue/JobClaim.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { MailGraph, type MailProblem } from "./MailGraph.ts"

/**
 * Mail of the service itself: password resets, notifications. It leaves from the customer's first mailbox where its
 * mail provider is configured, else through the service's own mailer.
 */
export class SystemMail extends Context.Tag("casework/SystemMail")<
  SystemMail,
  { readonly send: (customerID: CustomerID, mail: Mail) => Effect.Effect<void, MailNotSent> }
>() {
  static readonly layer = Layer.effect(
    SystemMail,
    Effect.suspend(() => make)
  )
}

/** Whether the provider will not do it, however often it is asked. */
const isRefused = ({ reason }: MailProblem) => reason !== "Unavailable"

const make = Effect.gen(function* () {
  const channels = yield* ChannelsRepo
  const mailboxes = yield* Mailboxes
  const graph = yield* MailGraph
  const mailer = yield* Mailer
  const { hostname } = new URL((yield* Settings).baseUrl)

  const findMailbox = fn("SystemMail.findMailbox")(function* (customerID: CustomerID) {
    const active = (yield* channels.list(customerID)).filter(({ isActive }) => isActive)
    const ways = active.map((channel) => mailboxes.of(customerID, channel))
    return yield* Effect.option(Effect.firstSuccessOf([...ways, Effect.fail("none")]))
  })

  return SystemMail.of({
    send: fn("SystemMail.send")(function* (customerID, mail) {
      const mailbox = yield* findMailbox(customerID)
      const plainly = mailer.send(customerID, { ...mail, isAutomatic: true }).pipe(
        Effect.catchIf(
          ({ hasLeft }) => hasLeft,
          () => Effect.logWarning("system mail not sent to all")
        )
      )
      if (Option.isNone(mailbox)) return yield* plainly
      const { html, messageId, subject, text, to } = mail
      const internetMessageID = messageId ?? `<casework-${randomUUID()}@${hostname}>`
      yield* beforeItLeaves
      yield* graph.sendUnkept(mailbox.value, { to, subject, text, html, internetMessageID }).pipe(
        Effect.catchTag("MailProblem", (problem) =>
          // A password must not stay lost because the mailbox is set up wrongly.
          isRefused(problem)
            ? Effect.zipRight(
                Effect.logWarning("the mail provider refuses system mail; it leaves another way", problem),
                plainly
              )
            : new MailNotSent({ cause: problem })
        )
      )
    })
  })
})
