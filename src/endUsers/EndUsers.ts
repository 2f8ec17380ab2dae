import { Context, Effect, Layer, Option } from "effect"
import { CurrentCaller, CurrentRep } from "../../schema/Authentication.ts"
import type {
  AssignedUID,
  AssignUID,
  EndUser,
  EndUserCreate,
  EndUserPage,
  EndUsersQuery,
  EndUserUpdate
} from "../../schema/EndUsers.ts"
import { mostUids } from "../../schema/EndUsers.ts"
import { BadRequest, Conflict, type NotFound } from "../../schema/Errors.ts"
import type { CustomerID, EndUserID } from "../../schema/Ids.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { type DataRequest, DataRequestsRepo } from "./DataRequestsRepo.ts"
import { EndUsersRepo, nameMadeOf } from "./EndUsersRepo.ts"
import { changeUids, link, sameWord, type Uid } from "./EndUserUids.ts"
import type { Sender } from "./SenderIdentity.ts"
import { makeForSender } from "./Senders.ts"

export class EndUsers extends Context.Tag("casework/EndUsers")<
  EndUsers,
  {
    readonly list: (query: EndUsersQuery) => Effect.Effect<EndUserPage, never, CurrentRep>
    readonly get: (endUserID: EndUserID) => Effect.Effect<EndUser, NotFound, CurrentRep>
    readonly findByUid: (uid: string) => Effect.Effect<ReadonlyArray<EndUser>, never, CurrentCaller>
    readonly create: (endUser: EndUserCreate) => Effect.Effect<EndUser, BadRequest, CurrentRep>
    readonly update: (
      endUserID: EndUserID,
      change: EndUserUpdate
    ) => Effect.Effect<void, BadRequest | NotFound, CurrentRep>
    /** Refused while the end user is being erased, because the erasure needs the row to find everything about them. */
    readonly delete: (endUserID: EndUserID) => Effect.Effect<void, NotFound | Conflict, CurrentRep>
    readonly assignUid: (assignment: AssignUID) => Effect.Effect<AssignedUID, BadRequest, CurrentRep>
    /** The end user who sent a message: found by the uid, else by the address or number, else a new one. */
    readonly forSender: (customerID: CustomerID, sender: Sender) => Effect.Effect<EndUserID>
  }
>() {
  static readonly layer = Layer.effect(
    EndUsers,
    Effect.suspend(() => make)
  )
}

const missing = (endUserID: EndUserID) => `There is no end user ${endUserID}.`

// Only UIDs that differ for JavaScript but not for the database get as far as its unique index.
const linkedTwice = () => BadRequest.at("UIDs", "must not contain the same UID twice")

const isBegun = ({ erasedAt, status }: DataRequest) => erasedAt === null && status !== "Failed"

const tooManyUids = `would exceed the ${mostUids} UIDs that an end user may have`

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* EndUsersRepo
  const requests = yield* DataRequestsRepo
  const forSender = yield* makeForSender

  const get = (customerID: CustomerID, endUserID: EndUserID) =>
    repo.find(customerID, endUserID).pipe(orNotFound(missing(endUserID)))

  return EndUsers.of({
    list: fn("EndUsers.list")(function* (query) {
      const { customerID } = yield* CurrentRep
      return yield* repo.list(customerID, query)
    }),

    get: fn("EndUsers.get")(function* (endUserID) {
      const { customerID } = yield* CurrentRep
      return yield* get(customerID, endUserID)
    }),

    findByUid: fn("EndUsers.findByUid")(function* (uid) {
      const { customerID } = yield* CurrentCaller
      return yield* repo.findByUid(customerID, uid)
    }),

    create: fn("EndUsers.create")(function* ({ UIDs = [], ...given }) {
      const { customerID } = yield* CurrentRep
      const fields = { DisplayName: null, Email: null, Phone: null, CustomerRef: null, Notes: null, ...given }
      const uids = UIDs.reduce<ReadonlyArray<Uid>>(link, [])
      const endUserID = yield* repo.insert(customerID, fields, uids).pipe(Effect.catchTag("Duplicate", linkedTwice))
      return yield* Effect.orDie(get(customerID, endUserID))
    }, inTransaction),

    update: fn("EndUsers.update")(function* (endUserID, { UIDs, ...change }) {
      const { customerID } = yield* CurrentRep
      const stored = yield* repo.findForUpdate(customerID, endUserID).pipe(orNotFound(missing(endUserID)))
      const { problems, uids } =
        UIDs === undefined
          ? { uids: stored.UIDs, problems: [] }
          : changeUids(UIDs === null ? [] : stored.UIDs, UIDs ?? [])
      if (problems.length > 0) return yield* Effect.fail(BadRequest.listing(problems))
      if (uids.length > Math.max(mostUids, stored.UIDs.length)) return yield* BadRequest.at("UIDs", tooManyUids)
      // A client that sends back what it read has not set a display name: it still follows the first and last name.
      const isReadBack = stored.DisplayName === null && change.DisplayName === nameMadeOf(stored)
      yield* repo
        .update(customerID, stored, { ...stored, ...change, ...(isReadBack && { DisplayName: null }) }, uids)
        .pipe(Effect.catchTag("Duplicate", linkedTwice))
    }, inTransaction),

    delete: fn("EndUsers.delete")(function* (endUserID) {
      const { customerID } = yield* CurrentRep
      yield* repo.delete(customerID, endUserID).pipe(changedOrNotFound(missing(endUserID)))
      // Looked up last, because a request for an erasure locks the end user.
      const erasure = yield* requests.find(customerID, endUserID, "Erasure")
      if (Option.exists(erasure, isBegun))
        return yield* Conflict.of("The end user is being erased. Wait until the erasure has finished.")
    }, inTransaction),

    assignUid: fn("EndUsers.assignUid")(function* ({ EndUserID: endUserID, ...assignment }) {
      const { customerID } = yield* CurrentRep
      const stored = yield* Effect.flatten(repo.findForUpdate(customerID, endUserID)).pipe(
        Effect.catchTag("NoSuchElementException", () => BadRequest.at("EndUserID", "is not one of your end users"))
      )
      const known = stored.UIDs.find(({ UID }) => sameWord(UID, assignment.UID))
      if (known !== undefined && (known.IsPrimary || assignment.IsPrimary !== true)) {
        return { EndUserID: endUserID, ...known }
      }
      if (known === undefined && stored.UIDs.length >= mostUids) return yield* BadRequest.at("UID", tooManyUids)
      const wanted = known === undefined ? assignment : { ...known, IsPrimary: true }
      yield* repo
        .update(customerID, stored, stored, link(stored.UIDs, wanted))
        .pipe(Effect.catchTag("Duplicate", linkedTwice))
      const { UIDs } = yield* Effect.orDie(get(customerID, endUserID))
      const assigned = UIDs.find(({ UID }) => sameWord(UID, assignment.UID))
      return { EndUserID: endUserID, ...(yield* Effect.orDie(Option.fromNullable(assigned))) }
    }, inTransaction),

    forSender
  })
})
