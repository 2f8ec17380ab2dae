import { Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { noteBlobLocation } from "../files/BlobLocationCheck.ts"

const moved = Command.make("moved", {}, () =>
  Effect.flatMap(noteBlobLocation, (here) => Console.log(`The files are now expected in ${here}.`))
).pipe(Command.withDescription("Record that the files have been copied to the current BLOB_STORE"))

export const filesCommands = Command.make("files").pipe(
  Command.withDescription("Manage where files are stored"),
  Command.withSubcommands([moved])
)
