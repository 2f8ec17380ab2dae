import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { ModelID } from "../../schema/Ids.ts"
import { chooseModel, type DefaultModels, type ModelWish } from "../../src/ai/ModelChoice.ts"
import type { Slot, UsableModel } from "../../src/customers/ModelsRepo.ts"

const slots: ReadonlyArray<Slot> = ["Topic", "Webchat", "EmailText", "EmailVision", "Call", "Spam"]

const none: DefaultModels = {
  Topic: null,
  Webchat: null,
  EmailText: null,
  EmailVision: null,
  Call: null,
  Spam: null
}

const model = (modelID: number, fits: ReadonlyArray<Slot>, rest: Partial<UsableModel> = {}): UsableModel => ({
  modelID: ModelID.make(modelID),
  name: `model-${modelID}`,
  modelType: rest.takesImages === true ? "Vision" : "Text",
  isDefault: false,
  takesImages: false,
  slots: fits,
  ...rest
})

const nameOf = (wish: Partial<ModelWish>, usable: ReadonlyArray<UsableModel>, defaults: Partial<DefaultModels> = {}) =>
  Either.match(chooseModel({ slot: "Topic", withImages: false, ...wish }, { ...none, ...defaults }, usable), {
    onLeft: ({ message }) => message,
    onRight: ({ name }) => name
  })

const id = (value: number) => ModelID.make(value)

describe("The model that answers", () => {
  const any = model(1, ["Topic"])
  const marked = model(2, ["Topic", "Spam"], { isDefault: true })
  const own = model(3, ["Topic"])
  const other = model(4, ["Call"], { isDefault: true })

  it("is the customer's default, else the one marked as default, else any that fits", () => {
    expect(nameOf({}, [any, marked, own, other], { Topic: id(3) })).toBe("model-3")
    expect(nameOf({}, [any, marked, own, other])).toBe("model-2")
    expect(nameOf({}, [other, any])).toBe("model-1")
  })

  it("is not a default that was switched off or does not fit any more", () => {
    expect(nameOf({}, [any, marked], { Topic: id(3) })).toBe("model-2")
    expect(nameOf({}, [any, other], { Topic: id(4) })).toBe("model-1")
  })

  it("is the named one, without regard to case, if it may be used and fits", () => {
    expect(nameOf({ modelName: "MODEL-1" }, [any, marked], { Topic: id(2) })).toBe("model-1")
    expect(nameOf({ modelID: id(1) }, [any, marked])).toBe("model-1")
    expect(nameOf({ modelName: "model-9" }, [any])).toBe("modelName is not an active model that you may use.")
    expect(nameOf({ modelID: id(9) }, [any])).toBe("modelID is not an active model that you may use.")
    expect(nameOf({ modelName: "model-4" }, [any, other])).toBe("modelName is a model that is not suitable for Topic.")
  })

  it("may be named for mail from either of the two mail usages", () => {
    const vision = model(5, ["EmailVision"], { takesImages: true })
    const text = model(6, ["EmailText"])
    expect(nameOf({ slot: "EmailText", modelID: id(5) }, [vision, text])).toBe("model-5")
    expect(nameOf({ slot: "EmailVision", modelID: id(6) }, [vision, text])).toBe("model-6")
    expect(nameOf({ slot: "EmailText" }, [vision, text])).toBe("model-6")
    expect(nameOf({ slot: "EmailVision", modelID: id(6), withImages: true }, [vision, text])).toBe(
      "modelID is a model that does not accept pictures."
    )
  })

  it("takes pictures when the request has some", () => {
    const blind = model(7, ["EmailVision"], { isDefault: true })
    const seeing = model(8, ["EmailVision"], { takesImages: true })
    const wish = { slot: "EmailVision", withImages: true } as const
    expect(nameOf(wish, [blind, seeing])).toBe("model-8")
    expect(nameOf(wish, [blind, seeing], { EmailVision: id(7) })).toMatch(/model-7, does not accept pictures/)
    expect(nameOf(wish, [blind])).toMatch(/EmailVision does not accept pictures/)
  })

  it("is reported missing by the name of its usage", () => {
    expect(nameOf({ slot: "Spam" }, [any])).toMatch(/^There is no active AI model for Spam\./)
  })

  const arbitraryModel = fc
    .record({
      modelID: fc.integer({ min: 1, max: 9 }),
      fits: fc.subarray([...slots]),
      isDefault: fc.boolean(),
      takesImages: fc.boolean()
    })
    .map(({ fits, modelID, ...rest }) => model(modelID, fits, rest))

  it("is always a usable one that fits and takes pictures when needed", () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryModel),
        fc.constantFrom(...slots),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 9 })),
        (usable, slot, withImages, preferred) => {
          const defaults = { ...none, [slot]: preferred === null ? null : id(preferred) }
          const choice = chooseModel({ slot, withImages }, defaults, usable)
          if (Either.isRight(choice)) {
            expect(usable).toContain(choice.right)
            expect(choice.right.slots).toContain(slot)
            expect(choice.right.takesImages || !withImages).toBe(true)
          } else {
            const able = usable.filter((one) => one.slots.includes(slot) && (one.takesImages || !withImages))
            expect(able.length === 0 || defaults[slot] !== null).toBe(true)
          }
        }
      )
    )
  })
})
