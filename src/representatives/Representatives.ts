import { Context, Effect, Layer, Redacted } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, Conflict, Forbidden, type NotFound } from "../../schema/Errors.ts"
import type { CustomerRepID } from "../../schema/Ids.ts"
import type {
  ChangePassword,
  CustomerRep,
  CustomerRepCreate,
  CustomerRepPage,
  CustomerRepUpdate,
  RepresentativesQuery
} from "../../schema/Representatives.ts"
import { AuditLog } from "../auth/AuditLog.ts"
import { AuthRepo } from "../auth/AuthRepo.ts"
import { PasswordHasher } from "../auth/PasswordHasher.ts"
import { Revocations } from "../auth/Revocations.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { mayChange, missing } from "./MayChange.ts"
import { RepresentativesRepo } from "./RepresentativesRepo.ts"

export class Representatives extends Context.Tag("casework/Representatives")<
  Representatives,
  {
    readonly list: (query: RepresentativesQuery) => Effect.Effect<CustomerRepPage, never, CurrentRep>
    readonly get: (customerRepID: CustomerRepID) => Effect.Effect<CustomerRep, NotFound, CurrentRep>
    readonly create: (rep: CustomerRepCreate) => Effect.Effect<CustomerRep, Conflict, CurrentRep>
    readonly update: (
      customerRepID: CustomerRepID,
      change: CustomerRepUpdate
    ) => Effect.Effect<void, Forbidden | NotFound | Conflict, CurrentRep>
    readonly delete: (customerRepID: CustomerRepID) => Effect.Effect<void, Forbidden | NotFound | Conflict, CurrentRep>
    readonly changePassword: (
      customerRepID: CustomerRepID,
      change: ChangePassword
    ) => Effect.Effect<void, BadRequest | Forbidden | NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Representatives,
    Effect.suspend(() => make)
  )
}

const usernameTaken = (username: string) => () => Conflict.of(`The username "${username}" is already taken.`)

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* RepresentativesRepo
  const auth = yield* AuthRepo
  const hasher = yield* PasswordHasher
  const revocations = yield* Revocations
  const audit = yield* AuditLog

  /** Without an Admin nobody could manage the customer any more. */
  const otherAdminRemains = (admins: ReadonlyArray<CustomerRepID>, customerRepID: CustomerRepID) =>
    admins.some((admin) => admin !== customerRepID)
      ? Effect.void
      : Conflict.of("This is the last Admin. Give another representative the role Admin first.")

  /** Checks again in the database, because other nodes learn of the caller's removal or demotion a moment later. */
  const isStillAdmin = (admins: ReadonlyArray<CustomerRepID>) =>
    Effect.flatMap(CurrentRep, ({ customerRepID }) =>
      admins.includes(customerRepID) ? Effect.void : Forbidden.of("Only an Admin may do this.")
    )

  const applyChange = fn("Representatives.applyChange")(function* (
    customerRepID: CustomerRepID,
    change: CustomerRepUpdate
  ) {
    const { customerID, role } = yield* CurrentRep
    const admins = change.role === undefined ? [] : yield* repo.lockAdmins(customerID)
    const stored = yield* repo.findForUpdate(customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
    yield* mayChange(customerRepID)
    if (change.role !== undefined && change.role !== stored.role) {
      if (role !== "Admin") return yield* Forbidden.of("Only an Admin may change a role.")
      if (stored.role === "Admin") yield* otherAdminRemains(admins, customerRepID)
      yield* isStillAdmin(admins)
    }
    return yield* repo
      .update(customerID, customerRepID, { ...stored, ...change })
      .pipe(Effect.catchTag("Duplicate", usernameTaken(change.username ?? stored.username)))
  }, inTransaction)

  const remove = fn("Representatives.remove")(function* (customerRepID: CustomerRepID) {
    const caller = yield* CurrentRep
    const admins = yield* repo.lockAdmins(caller.customerID)
    yield* repo.findForUpdate(caller.customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
    if (customerRepID === caller.customerRepID) return yield* Conflict.of("You cannot delete yourself.")
    yield* otherAdminRemains(admins, customerRepID)
    yield* isStillAdmin(admins)
    return yield* repo.delete(caller.customerID, customerRepID)
  }, inTransaction)

  const setPassword = fn("Representatives.setPassword")(function* (customerRepID: CustomerRepID, passwordHash: string) {
    const caller = yield* CurrentRep
    yield* repo.findForUpdate(caller.customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
    const securityVersion = yield* auth.setPassword(caller.customerID, customerRepID, passwordHash)
    yield* audit.record(caller.customerID, caller.customerRepID, "PasswordChanged", { aboutRepID: customerRepID })
    return securityVersion
  }, inTransaction)

  return Representatives.of({
    list: fn("Representatives.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("Representatives.get")(function* (customerRepID) {
      const { customerID } = yield* CurrentRep
      return yield* repo.find(customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
    }),

    create: fn("Representatives.create")(function* (body) {
      const { customerID } = yield* CurrentRep
      const { password, role = "Agent", ...rep } = body
      const passwordHash = yield* hasher.hash(Redacted.make(password))
      return yield* repo
        .insert(customerID, { ...rep, role, passwordHash })
        .pipe(Effect.catchTag("Duplicate", usernameTaken(rep.username)))
    }),

    update: fn("Representatives.update")(function* (customerRepID, change) {
      const securityVersion = yield* applyChange(customerRepID, change)
      yield* revocations.raised(customerRepID, securityVersion)
    }),

    delete: fn("Representatives.delete")(function* (customerRepID) {
      const securityVersion = yield* remove(customerRepID)
      yield* revocations.raised(customerRepID, securityVersion)
    }),

    changePassword: fn("Representatives.changePassword")(function* (customerRepID, change) {
      const { customerID } = yield* CurrentRep
      if (change.customerRepID !== customerRepID) {
        return yield* BadRequest.at("customerRepID", `must equal the id in the path, ${customerRepID}`)
      }
      yield* repo.find(customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
      yield* mayChange(customerRepID)
      // Hashing is slow, so it happens before the transaction.
      const passwordHash = yield* hasher.hash(Redacted.make(change.newPassword))
      const securityVersion = yield* setPassword(customerRepID, passwordHash)
      yield* revocations.raised(customerRepID, securityVersion)
    })
  })
})
