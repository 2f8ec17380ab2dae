import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema, Stream } from "effect"
import JSZip from "jszip"
import { CustomerID, type EndUserID, TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { ErasureTiming } from "../../src/dataRights/EraseJob.ts"
import { Blobs } from "../../src/files/Blobs.ts"
import { Outbox } from "../../src/platform/systemMail/Outbox.ts"
import { formWith, upload } from "../files/Uploads.ts"
import { eventually } from "../support/Eventually.ts"
import { baseUrl, clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"

/** Delays the second look of an erasure until a test asks for it. */
export const secondLookLater = Layer.succeed(ErasureTiming, { secondLookAfterSeconds: 3600 })

export const rightsApp = testApp().pipe(Layer.provide(secondLookLater))

/** All rows that contain a word, by table; a longer word that ends with it does not count. */
export const rowsWith = (word: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ table: string }>`
      select table_name as "table" from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
    const found: Record<string, ReadonlyArray<string>> = {}
    for (const { table } of tables) {
      const text = table === "blob_chunk" ? sql.literal("encode(bytes, 'escape')") : sql.literal("t::text")
      const rows = yield* sql<{ row: string }>`
        /* all customers: wherever it may be */ select ${text} as row from ${sql(table)} t where ${text} ~* ${`(^|[^a-z])${word}`}`
      if (rows.length > 0) found[table] = rows.map(({ row }) => row.slice(0, 300))
    }
    return found
  })

const decodeMessage = Schema.decodeUnknown(Schema.Struct({ messageID: TicketMessageID, ticketID: TicketID }))

const acme = CustomerID.make(1)

/** Waits until nothing is left to do for the customer. */
export const workIsDone = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* eventually(
    sql`select kind from job where customer_id = ${acme} and status in ('Queued', 'Running')
      and kind not in ('ImportFolder', 'RenewSubscription')`,
    (rows) => rows.length === 0
  )
})

/** Creates an end user with traces in every place that can have some. Each of them contains the word. */
export const leaveTraces = (word: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { channels, endUsers, ticketMessages, tickets, ticketSummaries, translations } = yield* clientOf("acme-admin")
    const channel = (yield* channels.listChannels()).find(({ channelType }) => channelType === "Email")
    const channelID = yield* Effect.fromNullable(channel?.channelID)
    const address = `${word}@people.example`
    const created = yield* sendJson("POST", "/ticketMessages/create-new", {
      token: yield* tokenOf("acme-admin"),
      headers: { "idempotency-key": `key-${word}` },
      body: {
        channelID,
        fromAddress: address,
        fromName: `Zoe ${word}`,
        subject: `${word} subject`,
        message: `I am ${word} and I lost my key`,
        htmlBody: `<p>I am <b>${word}</b> and I lost my key</p>`,
        pageURL: `https://shop.example/${word}`
      }
    })
    const { messageID, ticketID } = yield* decodeMessage(created.json)
    const ticket = yield* tickets.getTicket({ path: { id: ticketID } })
    const endUserID = yield* Effect.fromNullable(ticket.endUserID)
    yield* endUsers.updateEndUser({
      path: { id: endUserID },
      payload: { FirstName: "Zoe", LastName: word, Notes: `${word} likes tea`, UIDs: [{ UID: `ref-${word}` }] }
    })
    yield* workIsDone
    yield* tickets.updateTicket({ path: { id: ticketID }, payload: { customFieldsData: { contract: `of ${word}` } } })
    yield* upload(messageID, formWith(`%PDF-1.4 the passport of ${word}`, `${word}.pdf`, "application/pdf"))
    yield* ticketMessages.escalateMessage({
      path: { id: messageID },
      payload: { feedbackComment: `${word} waits`, email: `${word}@lawyers.example` }
    })
    yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: `Dear ${word}, 45 EUR` } })
    yield* workIsDone
    yield* ticketSummaries.getHistorySummary({ path: { id: ticketID } })
    yield* translations.translate({ payload: { sourceText: `Call ${address} now`, targetLang: "de" } })

    const blobs = yield* Blobs
    const source = `From: Zoe <${address}>\r\nTo: help@acme.example\r\nSubject: broken\r\n\r\n${word} again`
    const { blobID } = yield* blobs.store(acme, Stream.make(new TextEncoder().encode(source)), 10_000)
    const [folder] = yield* sql<{ id: number }>`
      insert into channel_folder (customer_id, channel_id, name, external_folder_id, last_error)
      values (${acme}, ${channelID}, ${`Folder ${messageID}`}, ${`external-${messageID}`}, ${`${address} is broken`})
      returning channel_folder_id as id`
    yield* sql`
      insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at, blob_id)
      values (${acme}, ${(yield* Effect.fromNullable(folder)).id}, ${`mail-${messageID}`}, 10, 'cannot be read', now(), ${blobID})`
    yield* sql`
      insert into mail_message (customer_id, channel_id, external_id, internet_message_id, content_hash,
        conversation_id, participants, ticket_message_id)
      values (${acme}, ${channelID}, ${`in-${messageID}`}, ${`<1@${word}.example>`}, 'h', ${`talk of ${word}`},
        ${[address, "help@acme.example"]}::text[], ${messageID})`
    yield* sql`
      insert into job (customer_id, kind, payload, status, error, attempts)
      values (${acme}, 'Unknown', ${JSON.stringify({ to: address })}::jsonb, 'Failed', ${`${address} refused`}, 10)`
    yield* sql`
      insert into draft_call (customer_id, ticket_message_id, work, document_id, content)
      select customer_id, ${messageID}, gen_random_uuid(), min(document_id), ${`the order of ${word}`} from document
      where customer_id = ${acme} group by customer_id`
    const outbox = yield* Outbox
    yield* outbox.keep(acme, {
      to: "agent@acme.example",
      subject: `Ticket ${ticketID}`,
      text: `${word} wrote`,
      about: messageID
    })
    return { address, endUserID, messageID, ticketID, channelID }
  })

/** Inserts an erasure that was requested and is waiting for its turn. */
export const waitingErasure = (endUserID: EndUserID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      with waiting as (
        insert into job (customer_id, kind, payload, due_at)
        values (${acme}, 'EraseEndUser', ${JSON.stringify({ endUserID })}::jsonb, now() + interval '1 day')
        returning customer_id, job_id)
      insert into data_request (customer_id, about_end_user, kind, work)
      select customer_id, ${endUserID}, 'Erasure', job_id from waiting`
  )

/** Erases an end user and waits until that is over, with the second look at once. */
export const erased = (endUserID: EndUserID) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { dataRights } = yield* clientOf("acme-admin")
    yield* dataRights.eraseEndUser({ path: { id: endUserID } })
    const hurry = sql`
      update job set due_at = now() where customer_id = ${acme} and kind = 'EraseEndUser' and status = 'Queued'
        and payload ->> 'endUserID' = ${String(endUserID)}`
    return yield* eventually(
      Effect.zipRight(hurry, dataRights.getErasure({ path: { id: endUserID } })),
      ({ Status }) => Status === "Succeeded" || Status === "Failed"
    )
  })

/** Exports an end user and waits until that is over. */
export const exported = (endUserID: EndUserID) =>
  Effect.gen(function* () {
    const { dataRights } = yield* clientOf("acme-admin")
    return yield* eventually(
      dataRights.exportEndUser({ path: { id: endUserID } }),
      ({ Status }) => Status === "Succeeded" || Status === "Failed"
    )
  })

const Rows = Schema.parseJson(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** Exports an end user, and returns a function that reads the rows of one kind of data. */
export const shownTo = (endUserID: EndUserID) =>
  Effect.gen(function* () {
    const { AccessToken } = yield* exported(endUserID)
    const base = yield* baseUrl
    const zip = yield* Effect.promise(async () =>
      JSZip.loadAsync(await (await fetch(`${base}/api/File/${AccessToken}`)).arrayBuffer())
    )
    return (name: string) =>
      Effect.promise(async () => zip.file(`${name}.json`)?.async("text")).pipe(
        Effect.flatMap(Schema.decodeUnknown(Rows))
      )
  })
