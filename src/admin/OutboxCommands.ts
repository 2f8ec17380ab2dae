import { Args, Command } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { Outbox } from "../platform/systemMail/Outbox.ts"
import { printable } from "./Printable.ts"
import { refuse } from "./Refused.ts"
import { isRowID } from "./RowID.ts"

const shown = 50

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const mails = yield* Effect.flatMap(Outbox, (outbox) => outbox.newest(shown))
    yield* Console.log(mails.length === 0 ? "The outbox is empty." : "Mail in the outbox, newest first")
    for (const { createdAt, outboxMailID, subject, to } of mails) {
      yield* Console.log(printable(`${outboxMailID}  ${createdAt.toISOString()}  ${to}  ${subject}`))
    }
  })
).pipe(Command.withDescription(`List the newest ${shown} mails that could not be sent because SMTP_URL is not set`))

const show = Command.make("show", { id: Args.integer({ name: "id" }) }, ({ id }) =>
  Effect.gen(function* () {
    const found = isRowID(id) ? yield* Effect.flatMap(Outbox, (outbox) => outbox.find(id)) : Option.none()
    if (Option.isNone(found))
      return yield* refuse(`There is no mail ${id} in the outbox. To list them, run: outbox list`)
    const { createdAt, subject, text, to } = found.value
    yield* Console.log(printable(`To: ${to}\nSubject: ${subject}\nDate: ${createdAt.toISOString()}\n\n${text}`))
  })
).pipe(Command.withDescription("Show one mail of the outbox"))

export const outboxCommands = Command.make("outbox").pipe(
  Command.withDescription("Read system mail that could not be sent"),
  Command.withSubcommands([list, show])
)
