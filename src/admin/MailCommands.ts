import { Command } from "@effect/cli"
import { SqlClient } from "@effect/sql"
import { Console, Effect } from "effect"
import { FailedMailsRepo } from "../mail/FailedMailsRepo.ts"
import { importMessage, messageKey } from "../mail/MailJobs.ts"
import { ranks } from "../platform/queue/JobRank.ts"
import { JobsRepo } from "../platform/queue/JobsRepo.ts"
import { harmless } from "./Harmless.ts"

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const mails = yield* Effect.flatMap(FailedMailsRepo, (repo) => repo.setAsideMails)
    yield* Console.log(mails.length === 0 ? "No mail is set aside." : "Mail that was set aside, oldest first")
    for (const { attempts, customerID, error, folderID, messageID } of mails) {
      const line = `customer ${customerID}  folder ${folderID}  ${messageID}  ${attempts} attempts  ${error}`
      yield* Console.log(harmless(line))
    }
  })
).pipe(Command.withDescription("List mail that was set aside because it could not be imported"))

const retry = Command.make("retry", {}, () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* FailedMailsRepo
    const jobs = yield* JobsRepo
    const mails = yield* repo.setAsideMails
    const imports = mails.map(({ customerID, folderID, messageID }) => ({
      customerID,
      payload: JSON.stringify({ folderID, messageID }),
      key: messageKey(folderID, messageID)
    }))
    yield* Effect.forEach(mails, repo.tryAgain).pipe(
      Effect.zipRight(
        jobs.insert({ kind: importMessage.kind, rank: ranks.waitedFor, asksModels: false, traceParent: null }, imports)
      ),
      sql.withTransaction
    )
    yield* Console.log(mails.length === 0 ? "No mail is set aside." : `${mails.length} mails are tried again.`)
  })
).pipe(Command.withDescription("Try to import all mail again that was set aside"))

export const mailCommands = Command.make("mail").pipe(
  Command.withDescription("Look after mail that could not be imported"),
  Command.withSubcommands([list, retry])
)
