import { Array as Arr, Context, Effect, Layer, Option } from "effect"
import { CurrentCaller, CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, type Conflict, type NotFound } from "../../schema/Errors.ts"
import type {
  HookAction,
  HookActionCreate,
  HookActionPage,
  HookActionsQuery,
  WaitQuery
} from "../../schema/HookActions.ts"
import { WaitSeconds } from "../../schema/HookActions.ts"
import { type ChannelID, type CustomerID, HookActionID, TopicActionID } from "../../schema/Ids.ts"
import { targetOf } from "../../schema/MappingTarget.ts"
import type { PriorityUpdate, TopicAction } from "../../schema/TopicActions.ts"
import { ChannelsRepo } from "../channels/ChannelsRepo.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { makeAddMappings } from "../topics/AddMappings.ts"
import { TopicActionsRepo } from "../topics/TopicActionsRepo.ts"
import { HookActionsRepo } from "./HookActionsRepo.ts"

export class HookActions extends Context.Tag("casework/HookActions")<
  HookActions,
  {
    readonly list: (query: HookActionsQuery) => Effect.Effect<HookActionPage, never, CurrentCaller>
    readonly waitSeconds: (query: WaitQuery) => Effect.Effect<WaitSeconds, BadRequest, CurrentCaller>
    readonly get: (hookActionID: HookActionID) => Effect.Effect<HookAction, NotFound, CurrentRep>
    readonly create: (mapping: HookActionCreate) => Effect.Effect<HookAction, BadRequest | Conflict, CurrentRep>
    readonly createAll: (
      mappings: ReadonlyArray<HookActionCreate>
    ) => Effect.Effect<ReadonlyArray<HookAction>, BadRequest | Conflict, CurrentRep>
    readonly setPriority: (
      hookActionID: HookActionID,
      change: PriorityUpdate
    ) => Effect.Effect<void, NotFound, CurrentRep>
    readonly delete: (hookActionID: HookActionID) => Effect.Effect<void, NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    HookActions,
    Effect.suspend(() => make)
  )
}

const missing = (hookActionID: HookActionID) => `There is no hook action ${hookActionID}.`

const fieldsOf = (mapping: HookActionCreate) => ({
  ...targetOf(mapping),
  actionID: mapping.actionID,
  priority: mapping.priority,
  isActive: true
})

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* HookActionsRepo
  const rows = yield* TopicActionsRepo
  const channels = yield* ChannelsRepo
  const add = yield* makeAddMappings(rows.insertNew)

  const read = (customerID: CustomerID, hookActionID: HookActionID) =>
    repo.find(customerID, hookActionID).pipe(orNotFound(missing(hookActionID)))

  /** Adds and reads in one transaction, so that no other change comes in between. */
  const added = <E>(customerID: CustomerID, adding: Effect.Effect<ReadonlyArray<TopicAction>, E>) =>
    adding.pipe(
      Effect.map((actions) => actions.map(({ topicActionID }) => HookActionID.make(topicActionID))),
      Effect.flatMap((hookActionIDs) => repo.findAll(customerID, hookActionIDs)),
      inTransaction
    )

  const channelOf = fn("HookActions.channelOf")(function* (customerID: CustomerID, channelID: ChannelID) {
    const channelType = yield* channels.findType(customerID, channelID)
    if (Option.isNone(channelType)) return yield* BadRequest.at("channelId", "is not one of your channels")
    return { channelID, channelType: channelType.value }
  })

  return HookActions.of({
    list: fn("HookActions.list")(function* (query) {
      const { customerID } = yield* CurrentCaller
      return yield* repo.list(customerID, query)
    }),

    waitSeconds: fn("HookActions.waitSeconds")(function* ({ channelId, hookName }) {
      const { customerID } = yield* CurrentCaller
      const channel = channelId === undefined ? Option.none() : Option.some(yield* channelOf(customerID, channelId))
      const totalWaitSeconds = yield* repo.sumWaits(customerID, hookName, channel)
      return new WaitSeconds({ hookName, channelID: channelId ?? null, totalWaitSeconds })
    }),

    get: fn("HookActions.get")(function* (hookActionID) {
      const { customerID } = yield* CurrentRep
      return yield* read(customerID, hookActionID)
    }),

    create: fn("HookActions.create")(function* (mapping) {
      const { customerID } = yield* CurrentRep
      return yield* added(customerID, add.one(customerID, fieldsOf(mapping)).pipe(Effect.map(Arr.of))).pipe(
        Effect.head,
        Effect.catchTag("NoSuchElementException", Effect.die)
      )
    }),

    createAll: fn("HookActions.createAll")(function* (mappings) {
      const { customerID } = yield* CurrentRep
      return yield* added(customerID, add.all(customerID, mappings.map(fieldsOf)))
    }),

    setPriority: fn("HookActions.setPriority")(function* (hookActionID, { priority }) {
      const { customerID } = yield* CurrentRep
      yield* read(customerID, hookActionID)
      yield* rows
        .setPriority(customerID, TopicActionID.make(hookActionID), priority)
        .pipe(changedOrNotFound(missing(hookActionID)))
    }),

    delete: fn("HookActions.delete")(function* (hookActionID) {
      const { customerID } = yield* CurrentRep
      yield* read(customerID, hookActionID)
      yield* rows.delete(customerID, TopicActionID.make(hookActionID)).pipe(changedOrNotFound(missing(hookActionID)))
    })
  })
})
