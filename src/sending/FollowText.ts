import { Cause, Context, Effect, Layer, Option, Schema } from "effect"
import { type CustomerID, TicketMessageID } from "../../schema/Ids.ts"
import { CustomerSettings } from "../customers/CustomerSettings.ts"
import { NotDelivered } from "../delivery/Delivery.ts"
import { inChain } from "../events/Chain.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import type { JobClaim } from "../platform/queue/JobClaim.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { ranks } from "../platform/queue/JobRank.ts"
import { RunAgain } from "../platform/queue/JobRun.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { deliveries } from "../platform/telemetry/ServiceMetrics.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { makeMarkFailed } from "./MarkFailed.ts"
import { SentTextsRepo } from "./SentTextsRepo.ts"

const Payload = Schema.Struct({
  ticketMessageID: TicketMessageID,
  /** The automation run whose action sent the message, as for its delivery. */
  automationRunID: Schema.NullOr(Schema.String)
})

/** Enqueued in the transaction that marks a text message as sent. */
export const followText = jobKind({
  kind: "FollowText",
  payload: Payload,
  rank: ranks.fresh
})

/** How long after sending a text message its outcome is checked; it is not checked again after the last time. */
export class FollowTiming extends Context.Reference<FollowTiming>()("casework/FollowTiming", {
  defaultValue: (): { readonly looksAfterSeconds: ReadonlyArray<number> } => ({
    looksAfterSeconds: [20, 120, 600, 3600]
  })
}) {}

/** When to check next; undefined after the last time. */
export const nextLook = (looksAfterSeconds: ReadonlyArray<number>, secondsAgo: number) => {
  const next = looksAfterSeconds.find((seconds) => seconds > secondsAgo)
  return next === undefined ? undefined : new RunAgain({ pauseSeconds: Math.ceil(next - secondsAgo) })
}

/** Checks on sent texts: the phone provider only says later that it could not deliver a message it had accepted. */
export const FollowTextJob = Layer.effectDiscard(
  Effect.gen(function* () {
    const inTransaction = yield* InTransaction
    const jobs = yield* Jobs
    const customers = yield* CustomerSettings
    const messages = yield* TicketMessagesRepo
    const sentTexts = yield* SentTextsRepo
    const telephony = yield* Telephony
    const markFailed = yield* makeMarkFailed
    const { looksAfterSeconds } = yield* FollowTiming
    const [firstLook = 0] = looksAfterSeconds

    const unknown = (why: string) => ({ _tag: "Unknown", why }) as const

    /** An unknown outcome is not a failure of the message. */
    const look = fn("FollowText.look")(
      function* (customerID: CustomerID, sid: string) {
        const { telephonyAccountSID: accountSID, telephonyAuthToken: authToken } = yield* customers.get(customerID)
        if (accountSID === null || authToken === null) return unknown("There is no account for the phone provider")
        return yield* telephony.fateOf({ accountSID, authToken }, sid)
      },
      Effect.catchTag("TelephonyFailed", ({ message }) => Effect.succeed(unknown(message))),
      Effect.catchAllDefect((defect) =>
        Effect.as(
          Effect.logError("checking the delivery of a text message failed unexpectedly", Cause.die(defect)),
          unknown("The check failed unexpectedly")
        )
      )
    )

    /** Returns whether it did: the message may have been deleted meanwhile. */
    const markLost = fn("FollowText.markLost")(function* (
      customerID: CustomerID,
      ticketMessageID: TicketMessageID,
      claim: JobClaim,
      failure: NotDelivered
    ) {
      yield* claim.confirm
      const found = yield* messages.findForUpdate(customerID, ticketMessageID)
      if (Option.isNone(found) || found.value.status !== "Sent") return false
      yield* markFailed(customerID, found.value, claim, failure, true)
      return true
    }, inTransaction)

    yield* jobs.handle(
      followText,
      fn("FollowText.run")(function* (customerID, { automationRunID, ticketMessageID }, claim) {
        const text = Option.getOrNull(yield* sentTexts.find(customerID, ticketMessageID))
        if (text === null) return
        const again = nextLook(looksAfterSeconds, text.secondsAgo)
        if (text.secondsAgo < firstLook) return again
        const fate = yield* look(customerID, text.sid)
        if (fate._tag === "Arrived") return
        if (fate._tag === "Lost") {
          const failure = new NotDelivered({ message: fate.why, permanent: true })
          const isMarked = yield* inChain(automationRunID)(markLost(customerID, ticketMessageID, claim, failure))
          if (!isMarked) return
          deliveries.add({ channel: "WhatsApp", outcome: "failed" })
          return yield* Effect.logWarning("message not delivered", failure)
        }
        if (fate._tag === "Unknown" && again === undefined) {
          yield* Effect.logInfo(`the outcome of a text message is unknown: ${fate.why}`)
        }
        return again
      })
    )
  })
)
