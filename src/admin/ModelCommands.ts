import { Args, Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { OverviewRepo } from "./OverviewRepo.ts"
import { Provisioning } from "./Provisioning.ts"
import { knownSlots, readSlots } from "./SlotList.ts"

const add = Command.make(
  "add",
  {
    name: Args.text({ name: "name" }).pipe(Args.withDescription("The name of the model at the AI provider")),
    slots: Options.text("slots").pipe(Options.withDescription(`What it is used for, comma-separated: ${knownSlots}`)),
    images: Options.boolean("images").pipe(Options.withDescription("It accepts images")),
    isDefault: Options.boolean("default").pipe(
      Options.withDescription("Use it for customers that have chosen no other model")
    ),
    customer: Options.text("customer").pipe(
      Options.withDescription(
        "The name of the only customer that may use it, in any case; default: every customer may"
      ),
      Options.optional
    )
  },
  ({ customer, images, isDefault, name, slots: list }) =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const slots = yield* readSlots(list)
      const model = { name, slots, takesImages: images, isDefault }
      const added = `"${name.trim()}" for ${slots.join(", ")}.`
      if (Option.isNone(customer)) {
        const modelID = yield* provisioning.addSharedModel(model)
        return yield* Console.log(`Added shared model ${modelID} ${added}`)
      }
      const owner = yield* provisioning.customerNamed(customer.value)
      const modelID = yield* provisioning.addOwnModel(owner, model)
      yield* Console.log(`Added model ${modelID} of "${owner.name}" ${added}`)
    })
).pipe(Command.withDescription("Add an AI model for every customer or for a single one"))

const modelID = Args.integer({ name: "modelID" }).pipe(
  Args.withDescription("The number at the start of its line in model list")
)

const activate = Command.make("activate", { modelID }, ({ modelID }) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const name = yield* provisioning.setModelActive(modelID, true)
    yield* Console.log(`Model ${modelID} "${name}" is active.`)
  })
).pipe(Command.withDescription("Let customers use a model again"))

const deactivate = Command.make("deactivate", { modelID }, ({ modelID }) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const name = yield* provisioning.setModelActive(modelID, false)
    yield* Console.log(`Model ${modelID} "${name}" is inactive.`)
  })
).pipe(Command.withDescription("Stop the use of a model until it is activated again"))

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const models = yield* Effect.flatMap(OverviewRepo, (repo) => repo.models)
    yield* Console.log(models.length === 1 ? "1 model" : `${models.length} models`)
    for (const { isActive, isDefault, modelID, modelType, name, owner, slots } of models) {
      const whose = owner === null ? "shared" : `of "${owner}"`
      const marks = `${isDefault ? ", default" : ""}, ${isActive ? "active" : "inactive"}`
      yield* Console.log(`${modelID}  ${name}  ${whose}  ${modelType}${marks}  slots: ${slots.join(", ")}`)
    }
  })
).pipe(Command.withDescription("List all models: whether shared or whose, and whether active"))

export const modelCommands = Command.make("model").pipe(
  Command.withDescription("Add, list, activate and deactivate AI models"),
  Command.withSubcommands([add, list, activate, deactivate])
)
