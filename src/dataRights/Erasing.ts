import { Context, Effect, Layer, Struct } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { UnsentDrafts } from "../delivery/UnsentDrafts.ts"
import type { Counts } from "../endUsers/DataRequestsRepo.ts"
import type { BlobID } from "../files/BlobStore.ts"
import { MailMessagesRepo } from "../mail/MailMessagesRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ErasingRepo, tablesWithFiles } from "./ErasingRepo.ts"
import { personalTable, personalTables } from "./PersonalData.ts"
import type { FoundRows } from "./PersonalRowsSql.ts"
import type { Person } from "./PersonsRepo.ts"

/** Removes what is known about a person. All methods must be called in one transaction. */
export class Erasing extends Context.Tag("casework/Erasing")<
  Erasing,
  {
    /** Holds up incoming mail until the transaction ends: mail that comes later finds no thread to join. */
    readonly holdMail: (customerID: CustomerID) => Effect.Effect<void>
    /**
     * Deletes queued and running jobs about the person's messages; running ones lose their claim and write nothing
     * more.
     */
    readonly stopWork: (person: Person, found: FoundRows) => Effect.Effect<number>
    /** Erases everything else; returns how much there was and which files remain to be deleted. */
    readonly erase: (
      person: Person,
      found: FoundRows
    ) => Effect.Effect<{ readonly counts: Counts; readonly blobIDs: ReadonlyArray<BlobID> }>
  }
>() {
  static readonly layer = Layer.effect(
    Erasing,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(ErasingRepo.layer))
}

const make = Effect.gen(function* () {
  const repo = yield* ErasingRepo
  const mails = yield* MailMessagesRepo
  const drafts = yield* UnsentDrafts

  return Erasing.of({
    holdMail: fn("Erasing.holdMail")(function* (customerID) {
      for (const channelID of yield* repo.mailChannels(customerID)) yield* mails.lock(customerID, channelID)
    }),

    stopWork: fn("Erasing.stopWork")(function* (person, found) {
      return yield* repo.eraseRows(person, found, "job")
    }),

    erase: fn("Erasing.erase")(function* (person, found) {
      yield* repo.lockTickets(person)
      yield* drafts.withdraw(person.customerID, { ticketMessageIDs: person.messageIDs })
      yield* repo.forgetQuotes(person)
      yield* repo.forgetDrafts(person)
      yield* repo.forgetInTickets(person)
      yield* repo.forgetAmongOthers(person)
      yield* repo.noteAsKnown(person, found)
      const files = yield* Effect.forEach(tablesWithFiles, (table) => repo.filesIn(person, found, table))
      const counts: Record<string, number> = {}
      for (const table of Struct.keys(personalTables)) {
        counts[personalTable(table).name] = yield* repo.eraseRows(person, found, table)
      }
      return { counts, blobIDs: files.flat() }
    })
  })
})
