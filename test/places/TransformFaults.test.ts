import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { eventually } from "../support/Eventually.ts"
import { hanging } from "../support/Hostile.ts"
import { OpenAiServer, openAiApp, saying } from "../support/OpenAiServer.ts"
import { clientOf, sendJson, tokenOf } from "../support/TestApp.ts"
import { onPostgres, waitingForMe } from "../support/TestDatabase.ts"
import { newRoom } from "./Places.ts"

const transform = (roomID: number) =>
  Effect.gen(function* () {
    const { customers } = yield* clientOf("acme-admin")
    yield* customers.updateCustomer({ payload: { aiProviderApiKey: "sk-test" } })
    const token = yield* tokenOf("acme-admin")
    return yield* sendJson("POST", `/api/PlaceDescriptionRooms/${roomID}/transform`, { token, body: {} })
  })

// Long enough for the attempt to reach the server.
layer(openAiApp("openai", undefined, { attempt: Duration.seconds(5) }), { excludeTestServices: true })(
  "A transformation that takes too long",
  (it) => {
    it.effect("is not paid for twice, and says what to do", () =>
      Effect.gen(function* () {
        const server = yield* OpenAiServer
        yield* server.does(hanging)
        const { roomID } = yield* newRoom({ transcriptRaw: "walls white" })
        expect(yield* transform(roomID)).toMatchObject({
          status: 502,
          json: { message: expect.stringMatching(/within 5s\. The notes may be too long .* Nothing changed\.$/) }
        })
        expect(yield* server.asked).toHaveLength(1)
      })
    )
  }
)

// The embedded database has one connection, so nobody waits for a row there.
if (onPostgres) {
  layer(openAiApp(), { excludeTestServices: true })(
    "A transformation whose room is deleted while it is stored",
    (it) => {
      it.effect("returns 404", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const server = yield* OpenAiServer
          yield* server.does(saying("<p>ok</p>"))
          const { reportID, roomID } = yield* newRoom({ transcriptRaw: "walls white" })
          const pending = yield* Effect.gen(function* () {
            yield* sql`update place_description_report set modified_at = now()
            where customer_id = 1 and place_description_report_id = ${reportID}`
            const storing = yield* Effect.forkDaemon(transform(roomID))
            yield* eventually(waitingForMe, (count) => count > 0)
            yield* sql`delete from place_description_room
            where customer_id = 1 and place_description_room_id = ${roomID}`
            return storing
          }).pipe(sql.withTransaction)
          expect(yield* Fiber.join(pending)).toMatchObject({ status: 404 })
        })
      )
    }
  )
}
