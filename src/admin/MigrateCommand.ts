import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { migrate } from "../platform/database/Migrate.ts"

export const migrateCommand = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const applied = yield* migrate
    if (applied.length === 0) return yield* Console.log("The database is up to date.")
    for (const [id, name] of applied) yield* Console.log(`Applied migration ${String(id).padStart(4, "0")}_${name}.`)
  })
).pipe(Command.withDescription("Migrate the database to this version, as every start and every other command does"))
