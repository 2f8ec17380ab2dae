import { Args, Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { customer } from "./CustomerArgument.ts"
import { readPassword } from "./PasswordInput.ts"
import { Provisioning } from "./Provisioning.ts"

const create = Command.make(
  "create",
  {
    customer,
    username: Args.text({ name: "username" }).pipe(Args.withDescription("The login name, unique across all customers")),
    name: Options.text("name").pipe(Options.withDescription("The person's name"), Options.optional),
    email: Options.text("email").pipe(Options.withDescription("For password resets"), Options.optional)
  },
  ({ customer, email, name, username }) =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const { customerID, name: customerName } = yield* provisioning.customerNamed(customer)
      const customerRepID = yield* provisioning.addRepresentative(customerID, {
        username,
        password: yield* readPassword,
        role: "Admin",
        name: Option.getOrNull(name),
        email: Option.getOrNull(email)
      })
      yield* Console.log(`Created Admin ${customerRepID} "${username}" of "${customerName}".`)
    })
).pipe(Command.withDescription("Create an Admin. The password comes from ADMIN_PASSWORD, standard input or a prompt."))

export const adminCommands = Command.make("admin").pipe(
  Command.withDescription("Create a customer's first Admin, who can then create the other representatives"),
  Command.withSubcommands([create])
)
