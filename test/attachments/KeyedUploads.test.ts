import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { aMessage } from "../files/Messages.ts"
import { samples } from "../files/Samples.ts"
import { formWith, upload } from "../files/Uploads.ts"
import { expectError } from "../http/ErrorBody.ts"
import { draw, formOf, newRoom, rowsOf, upload as uploadPhotos } from "../places/Places.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { type Answer, clientOf, testApp } from "../support/TestApp.ts"

const withKey = (key: string) => ({ "idempotency-key": key })

const isReplayed = ({ headers }: Answer) => headers.get("idempotency-replayed") === "true"

const attachmentsOf = (messageID: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      select file_name as "fileName" from ticket_message_attachment
      where customer_id = 1 and ticket_message_id = ${messageID}`
  )

const blobs = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select blob_id::text as id from blob where customer_id = 1`
)

const longText = "A sentence of a long report. ".repeat(4_000)

/** An upload that is sent up to the middle of its file, and goes on when it is told to. */
const halfSent = (messageID: number, key: string) =>
  Effect.gen(function* () {
    const before = (yield* blobs).length
    let goOn: () => void = () => undefined
    const head = '--half\r\nContent-Disposition: form-data; name="file"; filename="report.txt"\r\n\r\n'
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from(head + longText))
        goOn = () => {
          controller.enqueue(Buffer.from("The end.\r\n--half--\r\n"))
          controller.close()
        }
      }
    })
    const answer = yield* Effect.fork(
      upload(messageID, body, "acme-agent", {
        ...withKey(key),
        "content-type": "multipart/form-data; boundary=half"
      })
    )
    yield* eventually(blobs, (all) => all.length > before)
    return { answer: Fiber.join(answer), goOn: Effect.sync(() => goOn()) }
  })

/** The same file in another form. */
const sameReport = () => {
  const form = new FormData()
  form.append("file", new File([`${longText}The end.`], "report.txt", { type: "application/octet-stream" }))
  return form
}

/** Slows down the transaction that stores an attachment. */
const slowly = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.acquireUseRelease(
      sql`create function linger() returns trigger language plpgsql as $$
        begin perform pg_sleep(0.05); return null; end $$`.pipe(
        Effect.zipRight(sql`
          create trigger lingers after insert on ticket_message_attachment for each row execute function linger()`)
      ),
      () => effect,
      () => Effect.orDie(sql`drop function linger cascade`)
    )
  )

layer(testApp(), { excludeTestServices: true })("An upload with an Idempotency-Key", (it) => {
  it.effect("is done once, even if its form has another boundary each time", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const send = upload(messageID, formWith(samples.png, "plan.png", "image/png"), "acme-agent", withKey("once"))
      const first = yield* send
      const stored = yield* blobs
      const again = yield* send
      expect([first.status, isReplayed(first), isReplayed(again)]).toEqual([200, false, true])
      expect([again.status, again.text]).toEqual([200, first.text])
      expect(yield* attachmentsOf(messageID)).toHaveLength(1)
      expect(yield* blobs).toEqual(stored)
    })
  )

  it.effect("is refused with another file, name or field, and its key is freed by a refusal", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const send = (form: FormData) => upload(messageID, form, "acme-agent", withKey("other"))
      expectError(yield* send(formWith("MZ", "run.exe")), 415, /extension .exe/)
      const table = { ...withKey("other"), "content-type": "text/csv" }
      expectError(yield* upload(messageID, "a;b", "acme-agent", table), 415, /not as text\/csv/)
      expect((yield* send(formWith("One", "a.txt", "text/plain"))).status).toBe(200)
      const more = formWith("One", "a.txt", "text/plain")
      more.append("note", "another")
      for (const form of [formWith("Two", "a.txt", "text/plain"), formWith("One", "b.txt", "text/plain"), more]) {
        expectError(yield* send(form), 422, /Use a new key/)
      }
      expect(yield* attachmentsOf(messageID)).toEqual([{ fileName: "a.txt" }])
    })
  )

  it.effect("makes a second one 409 while it is still being sent, and gives it the same answer later", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const first = yield* halfSent(messageID, "half")
      const send = upload(messageID, sameReport(), "acme-agent", withKey("half"))
      expectError(yield* send, 409, /still running/)
      yield* first.goOn
      const answer = yield* first.answer
      expect([answer.status, isReplayed(answer)]).toEqual([200, false])
      const again = yield* send
      expect([again.text, isReplayed(again)]).toEqual([answer.text, true])
      expect(yield* attachmentsOf(messageID)).toHaveLength(1)
    })
  )

  it.effect("is done once, even if another node gets the same one meanwhile", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const first = yield* halfSent(messageID, "nodes")
      const there = yield* onAnotherNode()(upload(messageID, sameReport(), "acme-agent", withKey("nodes")))
      expect([there.status, isReplayed(there)]).toEqual([200, false])
      yield* first.goOn
      const here = yield* first.answer
      expect([here.status, here.text, isReplayed(here)]).toEqual([200, there.text, true])
      expect(yield* attachmentsOf(messageID)).toHaveLength(1)
      const other = yield* halfSent(messageID, "others")
      yield* onAnotherNode()(upload(messageID, formWith("Another", "a.txt"), "acme-agent", withKey("others")))
      yield* other.goOn
      expectError(yield* other.answer, 422, /Use a new key/)
      expect(yield* attachmentsOf(messageID)).toEqual([{ fileName: "report.txt" }, { fileName: "a.txt" }])
    })
  )

  it.effect("holds up nobody when its sender goes away, at whatever moment", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const form = () => formWith(`${longText}${crypto.randomUUID()}`, "a.txt", "text/plain")
      const send = (key: string) => upload(messageID, form(), "acme-agent", withKey(key))
      expect((yield* send("before")).status).toBe(200)
      yield* slowly(
        Effect.forEach(Array.from({ length: 40 }).keys(), (at) =>
          Effect.raceFirst(send(`gone ${at}`), Effect.sleep(at * 4))
        )
      )
      expect((yield* send("afterwards")).status).toBe(200)
    })
  )

  it.effect("leaves nothing when it cannot be committed, and can then be repeated", () =>
    Effect.gen(function* () {
      const before = new Set((yield* blobs).map(({ id }) => id))
      const sql = yield* SqlClient.SqlClient
      const { messageID } = yield* aMessage(1)
      const send = upload(messageID, formWith("Text", "a.txt", "text/plain"), "acme-agent", withKey("commit"))
      yield* sql`
        create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`
      yield* sql`
        create constraint trigger refused after insert on idempotency deferrable initially deferred
        for each row execute function refuse()`
      expectError(yield* send, 500, /unexpected/)
      yield* sql`drop function refuse cascade`
      // Only new blobs count: some of the earlier ones may just be being removed.
      expect((yield* blobs).filter(({ id }) => !before.has(id))).toEqual([])
      expect(yield* attachmentsOf(messageID)).toEqual([])
      const answer = yield* send
      expect([answer.status, isReplayed(answer)]).toEqual([200, false])
    })
  )

  it.effect("adds photos to a room once", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const pictures = [{ bytes: yield* draw(30, 20) }, { bytes: yield* draw(20, 30), name: "wall.jpg" }]
      const send = (form: FormData) => uploadPhotos(roomID, form, "acme-admin", withKey("photos"))
      const first = yield* send(formOf(pictures))
      const again = yield* send(formOf(pictures))
      expect([again.text, isReplayed(first), isReplayed(again)]).toEqual([first.text, false, true])
      expectError(yield* send(formOf([...pictures].reverse())), 422, /Use a new key/)
      const { placeDescriptionPhotos } = yield* clientOf("acme-admin")
      const listed = yield* placeDescriptionPhotos.listPlaceDescriptionPhotos({ path: { roomId: roomID } })
      expect(listed.map(({ accessToken }) => accessToken)).toEqual(
        (yield* rowsOf(first)).map(({ accessToken }) => accessToken)
      )
    })
  )
})
