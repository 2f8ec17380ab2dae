import { Schema } from "effect"
import { EndUserID } from "../../schema/Ids.ts"
import type { JobKind } from "../platform/queue/Jobs.ts"

const Payload = Schema.Struct({ endUserID: EndUserID })

export const exportEndUser: JobKind<typeof Payload.Type, typeof Payload.Encoded> = {
  kind: "ExportEndUser",
  payload: Payload
}

export const eraseEndUser: JobKind<typeof Payload.Type, typeof Payload.Encoded> = {
  kind: "EraseEndUser",
  payload: Payload
}
