import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type ChannelID, CustomerID } from "../../schema/Ids.ts"
import { Blobs } from "../../src/files/Blobs.ts"
import { clientOf } from "../support/TestApp.ts"
import { erased, rightsApp, shownTo } from "./RightsTools.ts"

const acme = CustomerID.make(1)

const mailbox = "aside@acme.example"

const newChannel = Effect.gen(function* () {
  const { channels } = yield* clientOf("acme-admin")
  const { channelID } = yield* channels.createChannel({
    payload: { channelType: "Email", name: "Aside", isActive: true, emailAddress: "Aside@acme.example" }
  })
  return channelID
})

/** A mail that could not be imported, as it came over the wire. */
const setAside = (channelID: ChannelID, externalID: string, source: Uint8Array) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const blobs = yield* Blobs
    const { blobID } = yield* blobs.store(acme, Stream.make(source), 10_000)
    yield* sql`
      with folder as (
        insert into channel_folder (customer_id, channel_id, name, external_folder_id)
        values (${acme}, ${channelID}, 'Folder', ${externalID}) returning customer_id, channel_folder_id)
      insert into failed_mail (customer_id, channel_folder_id, external_id, attempts, error, set_aside_at, blob_id)
      select customer_id, channel_folder_id, ${externalID}, 10, 'cannot be read', now(), ${blobID} from folder`
  })

const bytesOf = (...head: ReadonlyArray<string>) =>
  new TextEncoder().encode([...head, "Subject: x", "", "Cc: jürgen@müller.example"].join("\r\n"))

const leftIn = (channelID: ChannelID) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ id: string }>`
      select f.external_id as id from failed_mail f
      join channel_folder d on d.customer_id = f.customer_id and d.channel_folder_id = f.channel_folder_id
      where f.customer_id = ${acme} and d.channel_id = ${channelID} order by 1`
  ).pipe(Effect.map((rows) => rows.map(({ id }) => id)))

const encoded = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`

/** Mails about Jürgen, and those that are not, by names that begin with "other". */
const mails: Readonly<Record<string, Uint8Array>> = {
  "his as UTF-8": bytesOf("From: Jürgen <Jürgen@Müller.example>", `To: ${mailbox}`),
  "his as Latin-1": Buffer.from(`From: J\xfcrgen@m\xfcller.example\r\n\r\nx`, "latin1"),
  "his as an encoded word": bytesOf(`From: Form <form@web.example>`, `Reply-To: ${encoded("jürgen@müller.example")}`),
  "his in quoted letters": bytesOf(
    "From: =?iso-8859-1?Q?J=FCrgen=40m=FC?=",
    " =?iso-8859-1?q?ller.example?= <x@y.example>"
  ),
  "his in an unknown charset": bytesOf("From: =?x-none?Q?j=C3=BCrgen=40m=C3=BCller.example?= <x@y.example>"),
  "sent to him": bytesOf(`From: "Help, us" <${mailbox}>`, "To: Eva <eva@people.example>,", "\tjürgen@müller.example"),
  "sent to him as a copy": bytesOf(`From: Aside@acme.example`, "To: eva@people.example", "Bcc: JÜRGEN@müller.example"),
  "other: sent to another": bytesOf(`From: ${mailbox}`, "To: eva@people.example"),
  "other: from another with a copy to him": bytesOf("From: eva@people.example", "Cc: jürgen@müller.example"),
  "other: from another who is called as the mailbox": bytesOf(
    `From: "${mailbox}" <eva@people.example>`,
    "To: jürgen@müller.example"
  ),
  "other: from one whose address ends alike": bytesOf("From: hans-jürgen@müller.example", `To: ${mailbox}`)
}

layer(rightsApp, { excludeTestServices: true })("A mail that was set aside", (it) => {
  it.effect("is about its sender, or its recipient if the mailbox sent it, however the address is written", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const channelID = yield* newChannel
      const { EndUserID } = yield* endUsers.createEndUser({
        payload: { FirstName: "J", LastName: "M", Email: "jürgen@müller.example" }
      })
      yield* Effect.forEach(Object.entries(mails), ([name, source]) => setAside(channelID, name, source))
      const others = Object.keys(mails).filter((name) => name.startsWith("other"))
      const shown = yield* Effect.flatMap(shownTo(EndUserID), (read) => read("SetAsideMails"))
      expect(shown).toHaveLength(Object.keys(mails).length - others.length)
      expect((yield* erased(EndUserID)).Status).toBe("Succeeded")
      expect(yield* leftIn(channelID)).toEqual(others.toSorted())
    })
  )
})
