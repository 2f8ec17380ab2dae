import { Args, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { Feature } from "../customers/Features.ts"
import { customer } from "./CustomerArgument.ts"
import { Provisioning } from "./Provisioning.ts"

const feature = Args.choice<Feature>(
  Feature.literals.map((name) => [name, name]),
  { name: "feature" }
).pipe(Args.withDescription(`One of: ${Feature.literals.join(", ")}`))

const add = Command.make("add", { customer, feature }, ({ customer, feature }) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { customerID, name } = yield* provisioning.customerNamed(customer)
    yield* provisioning.addFeature(customerID, feature)
    yield* Console.log(`"${name}" now has the feature ${feature}.`)
  })
).pipe(Command.withDescription("Add a feature to a customer"))

const remove = Command.make("remove", { customer, feature }, ({ customer, feature }) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { customerID, name } = yield* provisioning.customerNamed(customer)
    yield* provisioning.removeFeature(customerID, feature)
    yield* Console.log(`"${name}" no longer has the feature ${feature}.`)
  })
).pipe(Command.withDescription("Remove a feature from a customer; its data is kept"))

export const featureCommands = Command.make("feature").pipe(
  Command.withDescription("Add or remove features of customers"),
  Command.withSubcommands([add, remove])
)
