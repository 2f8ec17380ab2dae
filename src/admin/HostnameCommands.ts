import { Args, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { customer } from "./CustomerArgument.ts"
import { Provisioning } from "./Provisioning.ts"

const hostname = Args.text({ name: "hostname" }).pipe(Args.withDescription("Such as support.example.com"))

const add = Command.make("add", { customer, hostname }, ({ customer, hostname }) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { customerID, name } = yield* provisioning.customerNamed(customer)
    yield* provisioning.addHostname(customerID, hostname)
    yield* Console.log(`Representatives of "${name}" can now log in with the hostname ${hostname.toLowerCase()}.`)
  })
).pipe(Command.withDescription("Let a customer's representatives log in with a hostname"))

const remove = Command.make("remove", { customer, hostname }, ({ customer, hostname }) =>
  Effect.gen(function* () {
    const provisioning = yield* Provisioning
    const { customerID, name } = yield* provisioning.customerNamed(customer)
    yield* provisioning.removeHostname(customerID, hostname)
    yield* Console.log(`Representatives of "${name}" can no longer log in with the hostname ${hostname.toLowerCase()}.`)
  })
).pipe(Command.withDescription("Remove a login hostname from a customer; nobody is logged out"))

export const hostnameCommands = Command.make("hostname").pipe(
  Command.withDescription("Add or remove login hostnames of customers"),
  Command.withSubcommands([add, remove])
)
