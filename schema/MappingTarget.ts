import { Schema } from "effect"
import { SpecialChannel } from "./ChannelTypes.ts"
import { changeable, clearable, optional } from "./Fields.ts"
import { HookName } from "./Hooks.ts"
import { ChannelID, idFromString, TopicID } from "./Ids.ts"

const hookOnly = "Hooks only"

/** What a mapping belongs to: a topic or a hook, for a hook optionally only on one channel or one type of channel. */
export const targetRead = {
  topicID: Schema.NullOr(TopicID),
  hookName: Schema.NullOr(Schema.String),
  channelID: Schema.NullOr(ChannelID),
  specialChannel: Schema.NullOr(SpecialChannel)
}

const Target = Schema.Struct(targetRead)
export type Target = typeof Target.Type

export const targetCreate = {
  topicID: optional(TopicID).annotations({ description: "Either this or hookName" }),
  hookName: optional(HookName).annotations({ description: "Either this or topicID" }),
  channelID: optional(ChannelID).annotations({ description: hookOnly }),
  specialChannel: optional(SpecialChannel).annotations({ description: hookOnly })
}

export const targetUpdate = {
  topicID: clearable(TopicID),
  hookName: clearable(HookName),
  channelID: clearable(ChannelID).annotations({ description: hookOnly }),
  specialChannel: clearable(SpecialChannel).annotations({ description: hookOnly })
}

export const targetFilters = {
  topicId: changeable(idFromString(TopicID)),
  hookName: changeable(HookName),
  channelId: changeable(idFromString(ChannelID)).annotations({ description: "Only rows for exactly this channel" })
}

export const targetSortable = ["topicID", "hookName", "channelID", "specialChannel"] as const

type Given = { readonly [Name in keyof Target]?: unknown }

export const targetOf = ({ channelID, hookName, specialChannel, topicID }: Partial<Target>): Target => ({
  topicID: topicID ?? null,
  hookName: hookName ?? null,
  channelID: channelID ?? null,
  specialChannel: specialChannel ?? null
})

/** The problems of a mapping that does not belong to exactly one topic or hook. */
export const targetProblems = ({ channelID = null, hookName = null, specialChannel = null, topicID = null }: Given) => {
  if (hookName !== null) {
    return topicID === null
      ? []
      : [{ path: ["hookName"], message: "cannot be combined with topicID: send only one of them" }]
  }
  const needsHook = "is allowed only together with hookName"
  return [
    ...(topicID === null ? [{ path: ["topicID"], message: "is required unless hookName is given" }] : []),
    ...(channelID === null ? [] : [{ path: ["channelID"], message: needsHook }]),
    ...(specialChannel === null ? [] : [{ path: ["specialChannel"], message: needsHook }])
  ]
}
