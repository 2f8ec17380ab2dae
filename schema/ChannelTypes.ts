import { Schema } from "effect"
import { anyCase } from "./Fields.ts"

export const channelTypes = ["Email", "Chat", "Phone", "WhatsApp"] as const

export const ChannelType = Schema.Literal(...channelTypes).annotations({ identifier: "ChannelType" })
export type ChannelType = typeof ChannelType.Type

/** All channels of a type, or simply all. */
export const SpecialChannel = anyCase([...channelTypes, "All"])
export type SpecialChannel = typeof SpecialChannel.Type
