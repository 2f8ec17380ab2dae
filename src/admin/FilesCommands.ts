import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { noteBlobLocation } from "../files/BlobLocationCheck.ts"

const moved = Command.make("moved", {}, () =>
  Effect.flatMap(noteBlobLocation, (here) => Console.log(`From now on the files are looked for in ${here}.`))
).pipe(Command.withDescription("Say that the files have been copied to where BLOB_STORE is now"))

export const filesCommands = Command.make("files").pipe(
  Command.withDescription("Where the files are"),
  Command.withSubcommands([moved])
)
