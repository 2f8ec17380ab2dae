import type { TransformRequest } from "../../schema/PlaceDescriptionRooms.ts"
import type { UsableModel } from "../customers/ModelsRepo.ts"

/** Says what is wrong with the model that a request names; undefined when it may be used. */
export const overrideProblem = (
  { includePhotosInPrompt = false, overrideModelId }: TransformRequest,
  usable: ReadonlyArray<UsableModel>
): string | undefined => {
  const model = usable.find(({ modelID }) => modelID === overrideModelId)
  if (model === undefined) return "is not an active model that you may use"
  if (!model.slots.includes("EmailText") && !model.slots.includes("EmailVision"))
    return "is a model that is not suitable for mail"
  return includePhotosInPrompt && !model.takesImages ? "is a model that does not accept pictures" : undefined
}
