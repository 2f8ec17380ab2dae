import { Args, Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { Slot } from "../customers/ModelsRepo.ts"
import { OverviewRepo } from "./OverviewRepo.ts"
import { Provisioning } from "./Provisioning.ts"
import { refuse } from "./Refused.ts"

const known = Slot.literals.join(", ")

/** The slots of a comma-separated list, in any case, each once. */
const readSlots = Effect.fn("ModelCommands.readSlots")(function* (list: string) {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  if (names.length === 0) return yield* refuse(`--slots needs at least one of: ${known}.`)
  const slots = yield* Effect.forEach(names, (name) =>
    Option.match(Option.fromNullable(Slot.literals.find((slot) => slot.toLowerCase() === name.toLowerCase())), {
      onNone: () => refuse(`"${name}" is not a slot. The slots are: ${known}.`),
      onSome: Effect.succeed
    })
  )
  return [...new Set(slots)]
})

const add = Command.make(
  "add",
  {
    name: Args.text({ name: "name" }).pipe(Args.withDescription("The name that the AI provider knows it by")),
    slots: Options.text("slots").pipe(Options.withDescription(`What it is for, comma-separated: ${known}`)),
    images: Options.boolean("images").pipe(Options.withDescription("It takes images")),
    isDefault: Options.boolean("default").pipe(Options.withDescription("Use it where a customer chose no other"))
  },
  ({ images, isDefault, name, slots: list }) =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const slots = yield* readSlots(list)
      const modelID = yield* provisioning.addSharedModel({ name, slots, takesImages: images, isDefault })
      yield* Console.log(`Added shared model ${modelID} "${name.trim()}" for ${slots.join(", ")}.`)
    })
).pipe(Command.withDescription("Add an AI model that every customer may use"))

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const models = yield* Effect.flatMap(OverviewRepo, (repo) => repo.sharedModels)
    yield* Console.log(models.length === 1 ? "1 shared model" : `${models.length} shared models`)
    for (const { isActive, isDefault, modelID, modelType, name, slots } of models) {
      const marks = `${isDefault ? ", default" : ""}${isActive ? "" : ", inactive"}`
      yield* Console.log(`${modelID}  ${name}  ${modelType}${marks}  slots: ${slots.join(", ")}`)
    }
  })
).pipe(Command.withDescription("List the models that every customer may use"))

export const modelCommands = Command.make("model").pipe(
  Command.withDescription("Add and list shared AI models"),
  Command.withSubcommands([add, list])
)
