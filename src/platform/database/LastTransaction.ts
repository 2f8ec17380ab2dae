import { Context, Effect, Option } from "effect"
import type { InTransaction } from "./InTransaction.ts"

/**
 * Runs the work, and whatever else must be written with it, in one transaction; runs `undo` only if that did not
 * commit.
 */
export type Transact = <A, E, R>(work: Effect.Effect<A, E, R>, undo: Effect.Effect<void>) => Effect.Effect<A, E, R>

/** How to run the transaction that ends a request if it must write more than the request's own work; most have none. */
export class LastTransaction extends Context.Reference<LastTransaction>()("casework/LastTransaction", {
  defaultValue: (): Option.Option<Transact> => Option.none()
}) {}

/**
 * For work that takes long before it writes, such as an upload: only the writes are in the transaction, along with the
 * record of the request. The transaction may outlast the work, so `undo` cleans up after a failure: a caller that did
 * so itself would wait for the transaction, and the transaction for the caller.
 */
export const lastTransaction =
  (inTransaction: InTransaction["Type"], undo: Effect.Effect<void>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      LastTransaction,
      Option.match({
        onNone: () => Effect.onError(inTransaction(work), () => undo),
        onSome: (transact) => transact(work, undo)
      })
    )
