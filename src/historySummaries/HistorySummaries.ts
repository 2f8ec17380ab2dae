import { Context, Effect, Layer } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import type { BadGateway, BadRequest, NotFound } from "../../schema/Errors.ts"
import { type TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { Summaries } from "../ai/Summaries.ts"
import { makeOnceForAll } from "../platform/concurrency/OnceForAll.ts"
import { orNotFound } from "../platform/database/Found.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { MessageHistoryRepo } from "../ticketMessages/MessageHistoryRepo.ts"
import { HistorySummariesRepo } from "./HistorySummariesRepo.ts"

/** Short summaries of tickets, for a representative who has not read them. */
export class HistorySummaries extends Context.Tag("casework/HistorySummaries")<
  HistorySummaries,
  {
    /** Returns the summary, made once and kept until the next message; empty without messages. */
    readonly get: (ticketID: TicketID) => Effect.Effect<string, BadRequest | NotFound | BadGateway, CurrentRep>
  }
>() {
  static readonly layer = Layer.scoped(
    HistorySummaries,
    Effect.suspend(() => make)
  )
}

const mostMessages = 60

const make = Effect.gen(function* () {
  const repo = yield* HistorySummariesRepo
  const history = yield* MessageHistoryRepo
  const summaries = yield* Summaries
  const onceForAll = yield* makeOnceForAll<string, BadRequest | BadGateway>()

  return HistorySummaries.of({
    get: fn("HistorySummaries.get")(function* (ticketID) {
      const { customerID } = yield* CurrentRep
      const { language, subject, summary } = yield* repo
        .find(customerID, ticketID)
        .pipe(orNotFound(`There is no ticket ${ticketID}.`))
      if (summary !== null) return summary
      const messages = yield* history.list(customerID, ticketID, { most: mostMessages })
      if (messages.length === 0) return ""
      // By id, not by time: a message that arrives while the model works has a higher one.
      const quotes = messages.map(({ ticketMessageID }) => ticketMessageID)
      const upTo = TicketMessageID.make(Math.max(...quotes))
      const make = Effect.gen(function* () {
        const made = yield* summaries.ofHistory({
          customerID,
          ticketMessageID: upTo,
          subject,
          language,
          quotes,
          messages: messages.map(({ senderType, sentAt, text }) => ({ senderType, text, sentAt: sentAt.toISOString() }))
        })
        yield* repo.save(customerID, ticketID, { upTo, of: quotes, summary: made })
        return made
      })
      // The key includes the messages, because other messages need another summary.
      return yield* onceForAll([customerID, ticketID, ...quotes].join(" "), make)
    })
  })
})
