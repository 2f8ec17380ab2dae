import { Context, Effect, Fiber, Layer, Runtime, Schedule } from "effect"
import type { AiRunID, CustomerID } from "../../schema/Ids.ts"
import { isWithinTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AiRunsRepo, type NewAiRun, withoutWords } from "./AiRunsRepo.ts"

/**
 * Records every call. The row is written on its own connection, so that it survives a rollback of the caller's
 * transaction, and it is written even when the caller is interrupted or the node stops.
 */
export class AiLedger extends Context.Tag("casework/AiLedger")<
  AiLedger,
  {
    /** Null when the row could not be written, or will be only after the caller's transaction. */
    readonly record: (customerID: CustomerID, run: NewAiRun) => Effect.Effect<AiRunID | null>
  }
>() {
  static readonly layer = Layer.scoped(
    AiLedger,
    Effect.gen(function* () {
      const repo = yield* AiRunsRepo
      const scope = yield* Effect.scope
      // Fibers forked from this runtime do not inherit the caller's transaction.
      const fork = Runtime.runFork(yield* Effect.runtime<never>())

      const write = (customerID: CustomerID, run: NewAiRun, mayComeLater: boolean) =>
        repo.insert(customerID, run).pipe(
          // The message may have been inserted in the caller's own transaction, which is still open.
          Effect.retry({
            while: () => mayComeLater,
            schedule: Schedule.exponential("50 millis").pipe(Schedule.intersect(Schedule.recurs(6)))
          }),
          Effect.catchTag("MissingReference", () =>
            repo.insert(customerID, { ...withoutWords(run), ticketMessageID: null, roomID: null })
          ),
          Effect.catchAllCause((cause) => Effect.as(Effect.logError("an AI call could not be recorded", cause), null))
        )

      return AiLedger.of({
        record: fn("AiLedger.record")(function* (customerID, run) {
          const isInTransaction = yield* isWithinTransaction
          const writing = fork(Effect.uninterruptible(write(customerID, run, isInTransaction)), { scope })
          // The embedded database has one connection, and the caller's transaction holds it: waiting would never end.
          return isInTransaction ? null : yield* Fiber.join(writing)
        })
      })
    })
  )
}
