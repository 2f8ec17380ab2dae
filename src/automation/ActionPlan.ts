import type { ChannelType, SpecialChannel } from "../../schema/ChannelTypes.ts"
import type { ActionID, ChannelID, TopicID } from "../../schema/Ids.ts"
import type { OperationName } from "../../schema/Operations.ts"
import { deepestChain } from "../events/Chain.ts"

/** An action as a hook or a topic maps to it. */
export interface MappedAction {
  readonly topicActionID: number
  readonly actionID: ActionID
  readonly name: string
  readonly operation: OperationName
  readonly parameters: unknown
  readonly priority: number
  readonly isActionActive: boolean
  readonly isMappingActive: boolean
  readonly hookName: string | null
  readonly topicID: TopicID | null
  readonly channelID: ChannelID | null
  readonly specialChannel: SpecialChannel | null
}

export interface Skipped {
  readonly action: MappedAction
  readonly reason: string
  /** Whether the action was due; if so, the message's trace mentions it. */
  readonly isDue: boolean
}

export interface ActionPlan {
  readonly steps: ReadonlyArray<MappedAction>
  readonly skipped: ReadonlyArray<Skipped>
}

interface Place {
  readonly channelID: ChannelID
  readonly channelType: ChannelType
}

/** A mapping applies to its channel, to its channel type, to All, or, if it names neither, to every channel. */
const holdsOn = ({ channelID, specialChannel }: MappedAction, place: Place) =>
  (channelID === null && specialChannel === null) ||
  channelID === place.channelID ||
  specialChannel === "All" ||
  specialChannel === place.channelType

/** Why an action is not due. */
const whyNotMeant = (action: MappedAction, place: Place): string | undefined => {
  if (!action.isMappingActive) return "The mapping is not active."
  if (!action.isActionActive) return "The action is not active."
  return holdsOn(action, place) ? undefined : "It is for another channel."
}

/** Why an action planned earlier no longer applies, given what its hook or topic maps to now. */
export const whyNoLongerMeant = (
  actionID: ActionID | null,
  mapped: ReadonlyArray<MappedAction>,
  place: Place
): string | undefined => {
  if (actionID === null) return "The action was deleted."
  const reasons = mapped.filter((action) => action.actionID === actionID).map((action) => whyNotMeant(action, place))
  if (reasons.length === 0) return "The mapping was deleted."
  return reasons.includes(undefined) ? undefined : reasons[0]
}

/** Why an action that is due does not run. */
const whyNotRun = (action: MappedAction, met: ReadonlySet<number>, isTooDeep: boolean): string | undefined => {
  if (action.operation === "None") return "The action has no operation."
  if (met.has(action.actionID)) return "It already runs in this chain, and an action runs only once per chain."
  return isTooDeep ? `The chain has reached the limit of ${deepestChain} hooks.` : undefined
}

/** Hooks: higher priority first. Topics: lower value first. Ties by age. */
const inOrder = (left: MappedAction, right: MappedAction) => {
  const byPriority = left.topicID === null ? right.priority - left.priority : left.priority - right.priority
  return byPriority === 0 ? left.topicActionID - right.topicActionID : byPriority
}

/** Returns what runs, in which order, and why the rest does not. An action that is mapped twice runs once. */
export const planActions = (
  actions: ReadonlyArray<MappedAction>,
  place: Place,
  /** The actions already in this chain, and its length in hooks including this one. */
  chain: { readonly earlier: ReadonlySet<number>; readonly depth: number } = { earlier: new Set(), depth: 1 }
): ActionPlan => {
  const met = new Set<number>(chain.earlier)
  const steps: Array<MappedAction> = []
  const skipped: Array<Skipped> = []
  for (const action of [...actions].sort(inOrder)) {
    const notMeant = whyNotMeant(action, place)
    const reason = notMeant ?? whyNotRun(action, met, chain.depth > deepestChain)
    if (reason === undefined) {
      met.add(action.actionID)
      steps.push(action)
    } else skipped.push({ action, reason, isDue: notMeant === undefined })
  }
  return { steps, skipped }
}
