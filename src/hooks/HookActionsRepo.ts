import { SqlClient, type Statement } from "@effect/sql"
import { Array as Arr, Context, Effect, Layer, type Option, Schema } from "effect"
import { HookAction, type HookActionPage, type HookActionsQuery, hookActionPaging } from "../../schema/HookActions.ts"
import type { CustomerID, HookActionID } from "../../schema/Ids.ts"
import { whenGiven } from "../platform/database/Filters.ts"
import { ignoringCase, pagedQuery } from "../platform/database/PagedQuery.ts"
import { type HookChannel, matchesChannel } from "./ChannelMatchSql.ts"

/** Reads the actions of hooks, which are stored as topic actions. */
export class HookActionsRepo extends Context.Tag("casework/HookActionsRepo")<
  HookActionsRepo,
  {
    readonly list: (customerID: CustomerID, query: HookActionsQuery) => Effect.Effect<HookActionPage>
    readonly find: (customerID: CustomerID, hookActionID: HookActionID) => Effect.Effect<Option.Option<HookAction>>
    /** Sorted by id, lowest first. */
    readonly findAll: (
      customerID: CustomerID,
      hookActionIDs: ReadonlyArray<HookActionID>
    ) => Effect.Effect<ReadonlyArray<HookAction>>
    /** The total seconds of the active Wait actions of a hook. */
    readonly sumWaits: (
      customerID: CustomerID,
      hookName: string,
      channel: Option.Option<HookChannel>
    ) => Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.effect(
    HookActionsRepo,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(`t.topic_action_id as "hookActionID", t.hook_name as "hookName",
    t.action_id as "actionID", a.name as "actionName", coalesce(c.name, t.special_channel) as "channelName", t.priority`)
  const ofHooks = (customerID: CustomerID, conditions: ReadonlyArray<Statement.Fragment>) => sql`
    topic_action t
    join action a on a.customer_id = t.customer_id and a.action_id = t.action_id
    left join channel c on c.customer_id = t.customer_id and c.channel_id = t.channel_id
    where ${sql.and([sql`t.customer_id = ${customerID}`, sql`t.hook_name is not null`, ...conditions])}`
  const isHook = (hookName: string) => sql`lower(t.hook_name) = lower(${hookName})`

  const list = pagedQuery(sql, {
    Result: HookAction,
    columns,
    from: ({ customerID, query }: { readonly customerID: CustomerID; readonly query: HookActionsQuery }) =>
      ofHooks(customerID, whenGiven(query.hookName, isHook)),
    sortBy: {
      hookActionID: "t.topic_action_id",
      hookName: ignoringCase("t.hook_name"),
      actionID: "t.action_id",
      actionName: ignoringCase("a.name"),
      channelName: ignoringCase("coalesce(c.name, t.special_channel)"),
      priority: "t.priority"
    },
    optional: ["channelName"],
    id: "t.topic_action_id",
    paging: hookActionPaging
  })
  const decodeRows = Schema.decodeUnknown(Schema.Array(HookAction))
  const findAll = (customerID: CustomerID, hookActionIDs: ReadonlyArray<HookActionID>) =>
    sql`
      select ${columns}
      from ${ofHooks(customerID, [sql`t.topic_action_id = any(${[...hookActionIDs]}::int[])`])}
      order by t.topic_action_id`.pipe(Effect.flatMap(decodeRows), Effect.orDie)
  const decodeSum = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ totalWaitSeconds: Schema.Int })))
  // An action runs only once in a chain, even if the hook has it several times.
  const sumWaits = (customerID: CustomerID, hookName: string, channel: Option.Option<HookChannel>) =>
    sql`
      select coalesce(sum(seconds), 0)::float8 as "totalWaitSeconds" from (
        select distinct a.action_id, (a.parameters->>'seconds')::int as seconds
        from ${ofHooks(customerID, [
          isHook(hookName),
          sql`t.is_active and a.is_active and a.operation = 'Wait'`,
          matchesChannel(sql, channel)
        ])}) once`.pipe(
      Effect.flatMap(decodeSum),
      Effect.map(([{ totalWaitSeconds }]) => totalWaitSeconds),
      Effect.orDie
    )

  return HookActionsRepo.of({
    list: (customerID, query) => list({ customerID, query }, query),
    find: (customerID, hookActionID) => findAll(customerID, [hookActionID]).pipe(Effect.map(Arr.head)),
    findAll,
    sumWaits
  })
})
