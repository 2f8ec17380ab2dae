import { Context, Effect, Layer, Option } from "effect"
import type { NotFound } from "../../schema/Errors.ts"
import { Feedback } from "../../schema/TicketMessageBodies.ts"
import { Events } from "../events/Events.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { PresenceRepo } from "../representatives/PresenceRepo.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import { FeedbackRepo } from "./FeedbackRepo.ts"

/** What end users think of answers. */
export class Feedbacks extends Context.Tag("casework/Feedbacks")<
  Feedbacks,
  {
    /** A mere look records nothing: mail programs open links before people do. */
    readonly give: (ticketToken: string, like: boolean, isOnlyLook: boolean) => Effect.Effect<Feedback, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Feedbacks,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* FeedbackRepo
  const tickets = yield* TicketsRepo
  const presence = yield* PresenceRepo
  const events = yield* Events

  return Feedbacks.of({
    give: fn("Feedbacks.give")(function* (ticketToken, like, isOnlyLook) {
      const ticket = yield* repo.find(ticketToken).pipe(orNotFound("There is no ticket with this token."))
      const { customerID, customerRepName, ticketID } = ticket
      // The ticket is locked first, as everywhere: two concurrent calls wait here and not for each other.
      if (!isOnlyLook) yield* tickets.lock(customerID, [ticketID])
      const answer = isOnlyLook ? Option.none() : yield* repo.record(customerID, ticketID, like)
      if (Option.isSome(answer)) {
        const { isFirst, ticketMessageID } = answer.value
        const about = { ticketID, ...(ticketMessageID !== null && { ticketMessageID }) }
        // The hook fires once for like and once for dislike: otherwise anyone with the link could start its actions
        // endlessly.
        const changed = ticketMessageID === null ? ("TicketChanged" as const) : ("MessageChanged" as const)
        yield* events.record(customerID, [
          isFirst ? { kind: "Feedback", ...about, details: { like } } : { kind: changed, ...about }
        ])
      }
      return new Feedback({ agentAvailable: yield* presence.isAgentAvailable(customerID), customerRepName })
    }, inTransaction)
  })
})
