import { Schema } from "effect"
import { EndUserID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"

const Payload = Schema.Struct({ endUserID: EndUserID })

export const exportEndUser = jobKind({
  kind: "ExportEndUser",
  payload: Payload
})

export const eraseEndUser = jobKind({
  kind: "EraseEndUser",
  payload: Payload
})
