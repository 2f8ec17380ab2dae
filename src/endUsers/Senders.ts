import { Effect, Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { EndUsersRepo } from "./EndUsersRepo.ts"
import { link, type Uid } from "./EndUserUids.ts"
import { identityOf, type Sender } from "./SenderIdentity.ts"
import { SendersRepo } from "./SendersRepo.ts"

/** Finds or creates the end user who sent a message. Two simultaneous messages of a new sender create one end user. */
export const makeForSender = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const endUsers = yield* EndUsersRepo
  const senders = yield* SendersRepo

  return fn("EndUsers.forSender")(function* (customerID: CustomerID, sender: Sender) {
    const { fields, known, uids } = identityOf(sender)
    const found = yield* senders.find(customerID, known)
    if (Option.isSome(found)) return found.value
    return yield* Effect.gen(function* () {
      yield* senders.lock(customerID, known)
      const meanwhile = yield* senders.find(customerID, known)
      if (Option.isSome(meanwhile)) return meanwhile.value
      return yield* endUsers.insert(customerID, fields, uids.reduce<ReadonlyArray<Uid>>(link, []))
    }).pipe(inTransaction)
  }, Effect.orDie)
})
