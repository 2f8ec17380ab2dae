import type { CustomerUpdate } from "../../schema/Customers.ts"
import type { Slot, UsableModel } from "./ModelsRepo.ts"

/** What each default model is used for. */
const slotOfDefault = {
  defaultTopicModelId: "Topic",
  defaultWebchatModelId: "Webchat",
  defaultEmailTextModelId: "EmailText",
  defaultEmailVisionModelId: "EmailVision",
  defaultCallModelId: "Call",
  defaultSpamModelId: "Spam"
} as const satisfies Readonly<Record<Extract<keyof CustomerUpdate, `default${string}ModelId`>, Slot>>

type DefaultField = keyof typeof slotOfDefault

const defaultFields: ReadonlyArray<DefaultField> = [
  "defaultTopicModelId",
  "defaultWebchatModelId",
  "defaultEmailTextModelId",
  "defaultEmailVisionModelId",
  "defaultCallModelId",
  "defaultSpamModelId"
]

/** The problems with the models that a change names, by field. An unchanged model may have been deactivated since. */
export const modelProblems = (
  change: Pick<CustomerUpdate, DefaultField>,
  stored: Readonly<Record<DefaultField, number | null>>,
  usable: ReadonlyArray<UsableModel>
): ReadonlyArray<{ readonly path: string; readonly message: string }> =>
  defaultFields.flatMap((path) => {
    const modelID = change[path]
    if (modelID === undefined || modelID === null || modelID === stored[path]) return []
    const model = usable.find((candidate) => candidate.modelID === modelID)
    if (model === undefined) return [{ path, message: "is not an active model that you may use" }]
    const slot = slotOfDefault[path]
    return model.slots.includes(slot) ? [] : [{ path, message: `is a model that is not suitable for ${slot}` }]
  })
