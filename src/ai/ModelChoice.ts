import { Either } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { ModelID } from "../../schema/Ids.ts"
import type { Slot, UsableModel } from "../customers/ModelsRepo.ts"

/** The model that the customer chose for each usage, if it chose one. */
export type DefaultModels = Readonly<Record<Slot, ModelID | null>>

export interface ModelWish {
  readonly slot: Slot
  readonly modelID?: ModelID
  readonly modelName?: string
  readonly withImages: boolean
}

type Choice = Either.Either<UsableModel, BadRequest>

const emailSlots: ReadonlyArray<Slot> = ["EmailText", "EmailVision"]

const fits = (slot: Slot) => (model: UsableModel) => model.slots.includes(slot)

/** A model that is named explicitly may also be the other of the two for mail. */
const fitsWhenNamed = (slot: Slot) => (model: UsableModel) =>
  (emailSlots.includes(slot) ? emailSlots : [slot]).some((candidate) => fits(candidate)(model))

const refuse = (path: string, message: string): Choice => Either.left(BadRequest.listing([{ path, message }]))

const checked = (path: string, model: UsableModel | undefined, wish: ModelWish): Choice => {
  if (model === undefined) return refuse(path, "is not an active model that you may use")
  if (!fitsWhenNamed(wish.slot)(model)) return refuse(path, `is a model that is not suitable for ${wish.slot}`)
  if (wish.withImages && !model.takesImages) return refuse(path, "is a model that does not accept pictures")
  return Either.right(model)
}

const sameName = (name: string) => (model: UsableModel) => model.name.toLowerCase() === name.toLowerCase()

/**
 * Chooses the model: the one that is named, else the customer's default for the usage, else the one marked as default
 * that fits, else any that fits. A default that was switched off or no longer fits is ignored.
 */
export const chooseModel = (wish: ModelWish, defaults: DefaultModels, usable: ReadonlyArray<UsableModel>): Choice => {
  const { modelID, modelName, slot, withImages } = wish
  if (modelID !== undefined) {
    return checked(
      "modelID",
      usable.find((model) => model.modelID === modelID),
      wish
    )
  }
  if (modelName !== undefined) {
    const named = usable.filter(sameName(modelName))
    return checked("modelName", named.find(fitsWhenNamed(slot)) ?? named[0], wish)
  }
  const fitting = usable.filter(fits(slot))
  const own = fitting.find((model) => model.modelID === defaults[slot])
  const able = withImages ? fitting.filter((model) => model.takesImages) : fitting
  const model = own ?? able.find(({ isDefault }) => isDefault) ?? able[0]
  if (model !== undefined && (!withImages || model.takesImages)) return Either.right(model)
  return Either.left(
    new BadRequest({
      message:
        fitting.length === 0
          ? `There is no active AI model for ${slot}. Ask the operator to add one.`
          : `The AI model for ${slot}${model === undefined ? "" : `, ${model.name},`} does not accept pictures. Choose one that does, or send no pictures.`
    })
  )
}
