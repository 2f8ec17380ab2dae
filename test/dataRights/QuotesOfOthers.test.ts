import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Runtime } from "effect"
import { CustomerID, type TicketMessageID } from "../../schema/Ids.ts"
import { AiRunsRepo } from "../../src/ai/AiRunsRepo.ts"
import { onPostgres } from "../support/TestDatabase.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { rightsApp, workIsDone } from "./RightsTools.ts"

const acme = CustomerID.make(1)

const asking = (ticketMessageID: TicketMessageID, quoted: TicketMessageID, user: string) =>
  Effect.flatMap(AiRunsRepo, (runs) =>
    runs.insert(acme, {
      ticketMessageID,
      roomID: null,
      quotes: [quoted],
      purpose: "Topics",
      slot: "Topic",
      modelID: null,
      modelName: null,
      promptVersion: "topics-2",
      system: "",
      user,
      input: { text: user },
      answerSchema: null,
      imageCount: 0,
      documents: [],
      inputTokens: null,
      outputTokens: null,
      durationMs: 1,
      outcome: "Succeeded",
      error: null,
      output: null,
      replayOf: null
    })
  )

/** Does the same beside an open transaction, and fails if it has to wait for that. */
const askingBeside = Effect.map(
  Effect.runtime<AiRunsRepo>(),
  (runtime) =>
    (...question: Parameters<typeof asking>) =>
      Effect.promise(() => Runtime.runPromise(runtime)(Effect.timeout(asking(...question), "20 seconds")))
)

const wordsFor = (id: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ words: string }>`
      select user_prompt as words from ai_run where customer_id = 1 and ticket_message_id = ${id} and slot = 'Topic'
        and quotes <> '{}' and prompt_version = 'topics-2' order by ai_run_id desc limit 1`
  ).pipe(Effect.map((rows) => rows.map(({ words }) => words)))

const twoTickets = Effect.gen(function* () {
  const quoted = yield* newMessage({ fromAddress: "olga@people.example", message: "The quokka is ill" })
  const asked = yield* newMessage({ fromAddress: "rita@people.example" })
  yield* workIsDone
  return { asked: asked.messageID, quoted: quoted.messageID, quotedTicket: quoted.ticketID }
})

const removal = (id: TicketMessageID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`delete from ticket_message where customer_id = 1 and ticket_message_id = ${id}`
  )

layer(rightsApp, { excludeTestServices: true })("A question that quotes messages of other tickets", (it) => {
  it.effect("loses its text when a quoted message is deleted", () =>
    Effect.gen(function* () {
      const { asked, quoted } = yield* twoTickets
      yield* asking(asked, quoted, "quokka")
      expect(yield* wordsFor(asked)).toEqual(["quokka"])
      yield* removal(quoted)
      expect(yield* wordsFor(asked)).toEqual([""])
    })
  )

  // The embedded database has one connection: nothing runs beside a transaction there.
  if (onPostgres) {
    it.effect("is stored while another transaction changes a quoted message", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { asked, quoted, quotedTicket } = yield* twoTickets
        const askBeside = yield* askingBeside
        yield* Effect.gen(function* () {
          yield* sql`select 1 from ticket where customer_id = 1 and ticket_id = ${quotedTicket} for update`
          yield* sql`update ticket_message set liked = true where customer_id = 1 and ticket_message_id = ${quoted}`
          yield* askBeside(asked, quoted, "quokka")
        }).pipe(sql.withTransaction)
        expect(yield* wordsFor(asked)).toEqual(["quokka"])
      })
    )

    it.effect("has no text when a quoted message is just being deleted", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { asked, quoted } = yield* twoTickets
        const askBeside = yield* askingBeside
        yield* removal(quoted).pipe(Effect.zipRight(askBeside(asked, quoted, "quokka")), sql.withTransaction)
        expect(yield* wordsFor(asked)).toEqual([""])
      })
    )
  }
})
