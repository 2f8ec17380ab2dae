import { Args, Command, Options } from "@effect/cli"
import { Console, Effect } from "effect"
import { Feature } from "../customers/Features.ts"
import { counted } from "../platform/text/Counted.ts"
import { customerRemoveCommand } from "./CustomerRemoveCommand.ts"
import { OverviewRepo } from "./OverviewRepo.ts"
import { Provisioning } from "./Provisioning.ts"

/** The options below that may be repeated. */
export const repeatedOptions: ReadonlyArray<string> = ["--hostname", "--feature"]

const create = Command.make(
  "create",
  {
    name: Args.text({ name: "name" }).pipe(Args.withDescription("The organisation's name")),
    hostnames: Options.text("hostname").pipe(
      Options.withDescription("A hostname on which its representatives log in; may be repeated"),
      Options.repeated
    ),
    features: Options.choice("feature", Feature.literals).pipe(
      Options.withDescription("A feature it subscribes to; may be repeated"),
      Options.repeated
    )
  },
  ({ features, hostnames, name }) =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const customerID = yield* provisioning.createCustomer(name, hostnames, features)
      const parts = [
        ...hostnames.map((hostname) => `hostname ${hostname.toLowerCase()}`),
        ...features.map((feature) => `feature ${feature}`)
      ]
      const having = parts.length === 0 ? "" : `, with ${parts.join(", ")}`
      yield* Console.log(`Created customer ${customerID} "${name.trim()}"${having}.`)
    })
).pipe(Command.withDescription("Create a customer (an organisation)"))

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const customers = yield* Effect.flatMap(OverviewRepo, (repo) => repo.customers)
    yield* Console.log(counted(customers.length, "customer"))
    for (const { customerID, features, hostnames, name, representatives } of customers) {
      yield* Console.log(
        `${customerID}  ${name}  hostnames: ${hostnames.join(", ") || "none"}  features: ${features.join(", ") || "none"}  representatives: ${representatives}`
      )
    }
  })
).pipe(Command.withDescription("List the customers"))

export const customerCommands = Command.make("customer").pipe(
  Command.withDescription("Create, list and remove customers"),
  Command.withSubcommands([create, list, customerRemoveCommand])
)
