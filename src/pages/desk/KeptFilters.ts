import { Option, Schema } from "effect"
import { ChannelType } from "../../../schema/ChannelTypes.ts"
import type { CustomerRepID } from "../../../schema/Ids.ts"
import { inStorage } from "../dom/InStorage.ts"

export const Folder = Schema.Literal("todo", "escalated", "pending", "closed", "spam", "all")
export type Folder = typeof Folder.Type

/** What the inbox shows. */
const Filters = Schema.Struct({
  folder: Folder,
  channelType: Schema.optional(ChannelType),
  search: Schema.String,
  isMine: Schema.Boolean,
  isOldestFirst: Schema.Boolean
})
export type Filters = typeof Filters.Type

const atFirst: Filters = { folder: "todo", search: "", isMine: false, isOldestFirst: false }

const Stored = Schema.parseJson(Filters)
const read = Schema.decodeOption(Stored)
const written = Schema.encodeSync(Stored)

const placeOf = (me: CustomerRepID) => `casework-desk:inbox:${me}`

/** What a representative has chosen to see survives a reload and the session, in this tab. */
export const keptFilters = (me: CustomerRepID): Filters => {
  const stored = inStorage("sessionStorage", (storage) => storage.getItem(placeOf(me)))
  return Option.getOrElse(read(stored ?? ""), () => atFirst)
}

export const keepFilters = (me: CustomerRepID, filters: Filters) => {
  inStorage("sessionStorage", (storage) => storage.setItem(placeOf(me), written(filters)))
}

export const forgetFilters = (me: CustomerRepID) => {
  inStorage("sessionStorage", (storage) => storage.removeItem(placeOf(me)))
}
