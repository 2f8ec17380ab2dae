import { SqlClient } from "@effect/sql"
import { describe, expect, it, layer } from "@effect/vitest"
import { Arbitrary, Effect, FastCheck, Option, Schema } from "effect"
import { ChannelType, SpecialChannel } from "../../schema/ChannelTypes.ts"
import { ActionID, ChannelID, TopicID } from "../../schema/Ids.ts"
import { type MappedAction, planActions } from "../../src/automation/ActionPlan.ts"
import { deepestChain } from "../../src/events/Chain.ts"
import { matchesChannel } from "../../src/hooks/ChannelMatchSql.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const place = { channelID: ChannelID.make(7), channelType: "Email" } as const

const mapped = (fields: Partial<MappedAction> = {}): MappedAction => ({
  topicActionID: 1,
  actionID: ActionID.make(1),
  name: "Close ticket",
  operation: "CloseTicket",
  parameters: {},
  priority: 10,
  isActionActive: true,
  isMappingActive: true,
  hookName: "OnEscalate",
  topicID: null,
  channelID: null,
  specialChannel: null,
  ...fields
})

const arbitraryAction = FastCheck.record({
  actionID: FastCheck.integer({ min: 1, max: 6 }).map((id) => ActionID.make(id)),
  priority: FastCheck.integer({ min: -3, max: 3 }),
  isActionActive: FastCheck.boolean(),
  isMappingActive: FastCheck.boolean(),
  operation: FastCheck.constantFrom("CloseTicket" as const, "None" as const, "SendReply" as const),
  channelID: FastCheck.constantFrom(null, place.channelID, ChannelID.make(8)),
  specialChannel: FastCheck.option(Arbitrary.make(SpecialChannel))
})

/** Mappings of one hook, or of topics, in any order. */
const arbitraryActions = FastCheck.tuple(
  FastCheck.array(arbitraryAction, { maxLength: 12 }),
  FastCheck.boolean(),
  FastCheck.integer()
).map(([rows, ofHook, seed]) => {
  const actions = rows.map((row, index) =>
    mapped({
      ...row,
      topicActionID: index + 1,
      ...(ofHook ? {} : { hookName: null, topicID: TopicID.make(1 + (index % 2)) })
    })
  )
  const turn = actions.length === 0 ? 0 : Math.abs(seed) % actions.length
  return { ofHook, actions: [...actions.slice(turn), ...actions.slice(0, turn)] }
})

const arbitraryEarlier = FastCheck.uniqueArray(FastCheck.integer({ min: 1, max: 6 })).map((ids) => new Set(ids))

const idsOf = (actions: ReadonlyArray<MappedAction>) => actions.map(({ topicActionID }) => topicActionID)

describe("A plan of actions", () => {
  it("accounts for every mapping once: it runs, or is skipped with a reason", () => {
    FastCheck.assert(
      FastCheck.property(arbitraryActions, arbitraryEarlier, ({ actions }, earlier) => {
        const { skipped, steps } = planActions(actions, place, { earlier, depth: 2 })
        const all = [...idsOf(steps), ...idsOf(skipped.map(({ action }) => action))]
        expect(all.toSorted((a, b) => a - b)).toEqual(idsOf(actions).toSorted((a, b) => a - b))
        for (const { reason } of skipped) expect(reason).toMatch(/^[A-Z].*\.$/)
      })
    )
  })

  it("runs hooks by falling priority and topics by rising value, ties by age", () => {
    FastCheck.assert(
      FastCheck.property(arbitraryActions, ({ actions, ofHook }) => {
        const { steps } = planActions(actions, place)
        for (const [index, step] of steps.entries()) {
          const previous = steps[index - 1]
          if (previous === undefined) continue
          const rise = ofHook ? previous.priority - step.priority : step.priority - previous.priority
          expect(rise).toBeGreaterThanOrEqual(0)
          if (rise === 0) expect(step.topicActionID).toBeGreaterThan(previous.topicActionID)
        }
      })
    )
  })

  it("does not depend on the order in which the mappings were read", () => {
    FastCheck.assert(
      FastCheck.property(arbitraryActions, ({ actions }) => {
        expect(planActions(actions.toReversed(), place)).toEqual(planActions(actions, place))
      })
    )
  })

  it("runs an action once in a chain, and none that is switched off or does nothing", () => {
    FastCheck.assert(
      FastCheck.property(arbitraryActions, arbitraryEarlier, ({ actions }, earlier) => {
        const { steps } = planActions(actions, place, { earlier, depth: 2 })
        const ids = steps.map(({ actionID }) => actionID)
        expect(new Set(ids).size).toBe(ids.length)
        for (const step of steps) {
          expect(earlier.has(step.actionID)).toBe(false)
          expect(step).toMatchObject({ isActionActive: true, isMappingActive: true })
          expect(step.operation).not.toBe("None")
        }
      })
    )
  })

  it("runs an action if any one of its mappings applies", () => {
    FastCheck.assert(
      FastCheck.property(arbitraryActions, ({ actions }) => {
        const plan = planActions(actions, place)
        const planned = new Set(plan.steps.map(({ actionID }) => actionID))
        const alone = actions.filter((action) => planActions([action], place).steps.length === 1)
        expect(planned).toEqual(new Set(alone.map(({ actionID }) => actionID)))
      })
    )
  })

  it.each([
    [{ isMappingActive: false, isActionActive: false }, "The mapping is not active.", false],
    [{ isActionActive: false, operation: "None" }, "The action is not active.", false],
    [{ channelID: ChannelID.make(8) }, "It is for another channel.", false],
    [{ specialChannel: "Chat" }, "It is for another channel.", false],
    [{ operation: "None" }, "The action has no operation.", true]
  ] satisfies ReadonlyArray<[Partial<MappedAction>, string, boolean]>)(
    "says why %o does not run",
    (fields, reason, isDue) => {
      const action = mapped(fields)
      expect(planActions([action], place)).toEqual({ steps: [], skipped: [{ action, reason, isDue }] })
    }
  )

  it("says when an action has already run in the chain, and when the chain is too long", () => {
    const [first, again] = [mapped({ topicActionID: 1 }), mapped({ topicActionID: 2 })]
    const once = "It already runs in this chain, and an action runs only once per chain."
    expect(planActions([again, first], place)).toEqual({
      steps: [first],
      skipped: [{ action: again, reason: once, isDue: true }]
    })
    expect(planActions([first], place, { earlier: new Set([1]), depth: 2 }).skipped).toMatchObject([{ reason: once }])
    expect(planActions([first], place, { earlier: new Set(), depth: deepestChain }).steps).toEqual([first])
    expect(planActions([first], place, { earlier: new Set(), depth: deepestChain + 1 })).toMatchObject({
      steps: [],
      skipped: [{ reason: expect.stringContaining("the limit of 5 hooks"), isDue: true }]
    })
  })
})

layer(TestDatabase, { excludeTestServices: true })("The channels of a mapping", (it) => {
  it.effect("match alike in the plan and in SQL", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const holdsInSql = Schema.decodeUnknown(Schema.Array(Schema.Struct({ holds: Schema.Boolean })))
      let held = 0
      for (const channelType of ChannelType.literals) {
        for (const channelID of [null, place.channelID, ChannelID.make(8)]) {
          for (const specialChannel of [null, ...ChannelType.literals, "All" as const]) {
            const here = { channelID: place.channelID, channelType }
            const [row] = yield* holdsInSql(
              yield* sql`
                select coalesce(${matchesChannel(sql, Option.some(here))}, false) as holds
                from (values (${channelID}::int, ${specialChannel}::text)) t (channel_id, special_channel)`
            )
            const { steps } = planActions([mapped({ channelID, specialChannel })], here)
            expect([channelType, channelID, specialChannel, steps.length === 1]).toEqual([
              channelType,
              channelID,
              specialChannel,
              row?.holds
            ])
            held += steps.length
          }
        }
      }
      expect(held).toBeGreaterThan(0)
    })
  )
})
