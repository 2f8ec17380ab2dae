import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Attachments } from "./Attachments.ts"

export const AttachmentsHttp = HttpApiBuilder.group(CaseworkApi, "ticketMessageAttachments", (handlers) =>
  Effect.gen(function* () {
    const attachments = yield* Attachments
    return handlers
      .handle("listAttachments", ({ path }) => attachments.list(path.id))
      .handle("uploadAttachment", ({ path, payload }) => attachments.upload(path.id, payload))
      .handle("deleteAttachment", ({ path }) => attachments.delete(path.id, path.attachmentId))
  })
)
