import { expect, layer } from "@effect/vitest"
import { Array as Arr, Chunk, Effect, Fiber, Layer, Option, Redacted, Stream } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { type Mailbox, MailGraph } from "../../src/mail/MailGraph.ts"
import { MicrosoftGraph } from "../../src/mail/MicrosoftGraph.ts"
import { GuardedHttpClient } from "../../src/platform/outbound/Outbound.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer, otherClientID, simulatedCredentials } from "../support/GraphServer.ts"
import { headersIn } from "../support/GraphServerRoutes.ts"
import { file, mail } from "../support/Mails.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const graphAt = (url?: string) =>
  Layer.unwrapEffect(
    Effect.map(GraphServer, ({ graphUrl, port }) =>
      MicrosoftGraph.pipe(
        Layer.provide(GuardedHttpClient.layer),
        Layer.provide(TestDatabase),
        Layer.provide(settingsLayer({ GRAPH_BASE_URL: url ?? graphUrl, OUTBOUND_ALLOW: `127.0.0.1:${port}` }))
      )
    )
  ).pipe(Layer.provideMerge(GraphServer.layer))

/** A mailbox for one test, with the credentials that the provider knows unless others are given. */
const mailboxOf = (
  address: string,
  more: {
    readonly customerID?: number
    readonly secret?: string
    readonly authorityURL?: string
    readonly clientID?: string
  } = {}
) =>
  Effect.map(
    GraphServer,
    ({ authorityUrl }): Mailbox => ({
      customerID: CustomerID.make(more.customerID ?? 1),
      address,
      credentials: {
        ...simulatedCredentials,
        clientID: more.clientID ?? simulatedCredentials.clientID,
        clientSecret: Redacted.make(more.secret ?? simulatedCredentials.clientSecret),
        authorityURL: more.authorityURL ?? authorityUrl,
        scope: "https://graph.microsoft.com/.default"
      }
    })
  )

const bytesOf = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(Chunk.toReadonlyArray(chunks)))

const outgoing = {
  to: "tenant@home.example",
  subject: "Re: A leaking tap",
  html: "<p>We come tomorrow.</p>",
  internetMessageID: "<casework-1@casework.example>",
  isAutomatic: false
}

layer(graphAt(), { excludeTestServices: true })("Microsoft Graph", (it) => {
  it.effect("is asked with one token for all requests, until it is withdrawn", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("tokens@acme.example")
      const ask = graph.folder(mailbox, "inbox")
      yield* Effect.all(Arr.replicate(ask, 12), { concurrency: "unbounded" })
      expect(server.state.tokenRequests).toBe(1)
      yield* server.set({ withdrawTokensAfter: 1 })
      expect(yield* ask).toMatchObject({ id: "AAMk-inbox", displayName: "Inbox" })
      expect(server.state.tokenRequests).toBe(2)
    })
  )

  it.effect("gives a token only for known credentials, and is asked only over https or where that is allowed", () =>
    Effect.gen(function* () {
      const graph = yield* MailGraph
      const wrong = yield* mailboxOf("secret@acme.example", { secret: "wrong" })
      const refused = yield* Effect.flip(graph.folder(wrong, "inbox"))
      expect(refused).toMatchObject({ reason: "Refused" })
      expect(refused.message).toContain("AADSTS7000215: Invalid client secret provided.")
      expect(refused.message).not.toContain("Trace ID")
      for (const authorityURL of ["http://login.example", "https://127.0.0.1:1", "https://169.254.169.254"]) {
        const elsewhere = yield* mailboxOf("secret@acme.example", { authorityURL })
        expect(yield* Effect.flip(graph.folder(elsewhere, "inbox"))).toMatchObject({ reason: "Blocked" })
      }
      const server = yield* GraphServer
      const withTenant = yield* mailboxOf("secret@acme.example", { authorityURL: `${server.authorityUrl}/contoso/` })
      expect(yield* graph.folder(withTenant, "inbox")).toMatchObject({ id: "AAMk-inbox" })
    })
  )

  it.effect("is asked for a token once for all waiting requests, even when it refuses or throttles", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const stranger = yield* mailboxOf("tokens@acme.example", { secret: "nobody's" })
      yield* server.set({ strangersWait: 300 })
      const before = server.state.tokenRequests
      const asks = Arr.replicate(Effect.flip(graph.folder(stranger, "inbox")), 8)
      const refused = yield* Effect.all(asks, { concurrency: "unbounded" })
      expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(["Refused"]))
      expect(server.state.tokenRequests - before).toBe(1)
      yield* server.set({ throttleTokens: { requests: 1, retryAfter: "600" } })
      const busy = yield* mailboxOf("busy@acme.example", { secret: "busy" })
      expect(yield* Effect.flip(graph.folder(busy, "inbox"))).toMatchObject({
        reason: "Unavailable",
        retryAfterSeconds: 600
      })
      yield* server.set()
    })
  )

  it.effect("gets at most four requests at a time for one mailbox", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      yield* server.set({ latency: 1000 })
      const boxes = [yield* mailboxOf("one@acme.example"), yield* mailboxOf("two@acme.example")]
      const asks = boxes.flatMap((mailbox) => Arr.replicate(graph.folder(mailbox, "inbox"), 8))
      yield* Effect.all(asks, { concurrency: "unbounded" })
      const most = boxes.map(({ address }) => server.mailbox(address).mostAtOnce)
      expect(Math.max(...most)).toBe(4)
      yield* server.set()
    })
  )

  it.effect("is left alone as long as it asks for, and asked again after that", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("throttled@acme.example")
      const inASecond = { retryAfter: "1", until: Date.now() + 1000 }
      const moment = new Date(Date.now() + 3000).toUTCString()
      for (const { retryAfter, until } of [inASecond, { retryAfter: moment, until: Date.parse(moment) }]) {
        yield* server.set({ throttle: { requests: 2, retryAfter } })
        expect(yield* graph.folder(mailbox, "inbox")).toMatchObject({ id: "AAMk-inbox" })
        expect(Date.now()).toBeGreaterThanOrEqual(until)
      }
      yield* server.set({ throttle: { requests: 1, retryAfter: "600" } })
      const busy = yield* Effect.flip(graph.folder(yield* mailboxOf("later@acme.example"), "inbox"))
      expect(busy).toMatchObject({ reason: "Unavailable", retryAfterSeconds: 600 })
      yield* server.set()
    })
  )

  it.effect("serves authorised requests while others wait for a token", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const stranger = yield* mailboxOf("named@acme.example", { secret: "wrong" })
      yield* server.set({ strangersWait: 60_000 })
      const asks = Arr.replicate(graph.folder(stranger, "inbox"), 5)
      const waiting = yield* Effect.fork(Effect.all(asks, { concurrency: "unbounded" }))
      yield* Effect.sleep("500 millis")
      const mine = graph.folder(yield* mailboxOf("named@acme.example"), "inbox")
      // Well before the waiting requests are given up.
      expect(Option.isSome(yield* Effect.timeoutOption(mine, "10 seconds"))).toBe(true)
      yield* Fiber.interrupt(waiting)
      yield* server.set()
    })
  )

  it.effect("is left alone about a mailbox only by the application that it throttled", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const other = yield* mailboxOf("shared@acme.example", { clientID: otherClientID })
      yield* server.set({ throttle: { requests: 1, retryAfter: "600" } })
      expect(yield* Effect.flip(graph.folder(other, "inbox"))).toMatchObject({ retryAfterSeconds: 600 })
      const mine = graph.folder(yield* mailboxOf("shared@acme.example"), "inbox")
      expect(Option.isSome(yield* Effect.timeoutOption(mine, "20 seconds"))).toBe(true)
      yield* server.set()
    })
  )

  it.effect("is not left alone because another customer names the same mailbox and is told to wait for a token", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const other = yield* mailboxOf("owned@acme.example", { customerID: 2, secret: "guessed" })
      yield* server.set({ throttleTokens: { requests: 1, retryAfter: "45" } })
      const theirs = yield* Effect.fork(graph.folder(other, "inbox"))
      yield* eventually(
        Effect.sync(() => server.state.switches.throttleTokens.requests),
        (left) => left === 0
      )
      yield* Effect.sleep("300 millis")
      const mine = graph.folder(yield* mailboxOf("owned@acme.example"), "inbox")
      expect(Option.isSome(yield* Effect.timeoutOption(mine, "20 seconds"))).toBe(true)
      yield* Fiber.interrupt(theirs)
      yield* server.set()
    })
  )

  it.effect("is asked again when it fails or breaks off, but not forever", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("failing@acme.example")
      yield* server.set({ fail: { requests: 1, status: 503 }, cut: 1 })
      expect(yield* graph.folder(mailbox, "inbox")).toMatchObject({ id: "AAMk-inbox" })
      yield* server.set({ fail: { requests: 100, status: 500 } })
      const before = server.state.requests
      expect(yield* Effect.flip(graph.folder(mailbox, "inbox"))).toMatchObject({ reason: "Unavailable" })
      expect(server.state.requests - before).toBe(5)
      yield* server.set({ fail: { requests: 1, status: 403 } })
      expect(yield* Effect.flip(graph.folder(mailbox, "inbox"))).toMatchObject({ reason: "Refused" })
      yield* server.set()
    })
  )

  it.effect("reports what is new in a folder, page by page, and when a delta link has expired", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("delta@acme.example")
      const box = server.mailbox(mailbox.address)
      const old = box.add("AAMk-inbox", mail({ received: new Date("2020-01-01") }).fields)
      const ids = Arr.makeBy(250, () => box.add("AAMk-inbox", mail().fields).id)
      const from = (link: string | null, since: Date | null = null) =>
        graph.delta(mailbox, "AAMk-inbox", { link, since })
      const first = yield* from(null, new Date("2021-01-01"))
      expect([first.messageIDs.length, first.next.isLast]).toEqual([100, false])
      yield* server.set({ withdrawTokensAfter: 1 })
      const second = yield* from(first.next.link)
      const third = yield* from(second.next.link)
      expect([...first.messageIDs, ...second.messageIDs, ...third.messageIDs]).toEqual(ids)
      expect(third.next.isLast).toBe(true)
      expect((yield* from(third.next.link)).messageIDs).toEqual([])
      const fresh = box.add("AAMk-inbox", mail().fields)
      expect((yield* from(third.next.link)).messageIDs).toEqual([fresh.id])
      expect((yield* from(null)).messageIDs[0]).toBe(old.id)
      yield* server.set({ forgetDelta: true })
      expect(yield* Effect.flip(from(third.next.link))).toMatchObject({ reason: "Expired" })
    })
  )

  it.effect("never causes the token to be sent to a foreign address", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("links@acme.example")
      const from = (link: string | null) => Effect.flip(graph.delta(mailbox, "AAMk-inbox", { link, since: null }))
      const kept = "https://graph.elsewhere.example/v1.0/users/x/messages/delta"
      expect(yield* from(kept)).toMatchObject({ reason: "Expired" })
      yield* server.set({ leadAway: true })
      expect(yield* from(null)).toMatchObject({ reason: "Refused" })
      yield* server.set()
    })
  )

  it.effect("returns messages with headers, attachments, their bytes and their source", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("messages@acme.example")
      const picture = file("tap.png", "image/png", Buffer.alloc(400_000, 7), "tap@home")
      const arrived = mail({ headers: { "In-Reply-To": "<x@y>" }, attachments: [picture] })
      const { id } = server.mailbox(mailbox.address).add("AAMk-inbox", arrived.fields, arrived.attachments)
      const message = yield* graph.message(mailbox, id)
      expect(message).toMatchObject({
        id,
        subject: "A leaking tap",
        hasAttachments: false,
        from: { emailAddress: { address: "tenant@home.example" } },
        internetMessageHeaders: [{ name: "In-Reply-To", value: "<x@y>" }]
      })
      const attachment = yield* Effect.fromNullable((yield* graph.attachments(mailbox, id))[0])
      expect(attachment).toMatchObject({ name: "tap.png", isInline: true, contentId: "tap@home" })
      const bytes = yield* bytesOf(graph.attachmentContent(mailbox, id, attachment.id))
      expect(bytes.equals(picture.bytes)).toBe(true)
      expect((yield* bytesOf(graph.source(mailbox, id))).toString()).toContain("Subject: A leaking tap")
      expect(yield* Effect.flip(graph.message(mailbox, "unknown"))).toMatchObject({ reason: "Missing" })
      yield* server.set({ fail: { requests: 1, status: 503 } })
      expect((yield* bytesOf(graph.attachmentContent(mailbox, id, attachment.id))).length).toBe(400_000)
    })
  )

  it.effect("sends an answer in its thread, above the question, with small and large files", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("sending@acme.example")
      const box = server.mailbox(mailbox.address)
      const question = box.add("AAMk-inbox", mail({ html: "<p>It leaks</p>", conversationId: "thread" }).fields)
      const find = graph.findByInternetMessageID(mailbox, outgoing.internetMessageID)
      expect(yield* find).toEqual(Option.none())
      const draftID = yield* graph.createReply(mailbox, question.id, outgoing)
      expect(yield* find).toEqual(Option.some({ id: draftID, isDraft: true }))
      for (const size of [1000, 7_500_000]) {
        const bytes = Buffer.alloc(size, size)
        const pieces = Stream.fromIterable([bytes.subarray(0, 300), bytes.subarray(300)])
        yield* graph.attach(mailbox, draftID, {
          fileName: `${size}.bin`,
          contentType: "application/octet-stream",
          size,
          bytes: pieces
        })
      }
      yield* graph.send(mailbox, draftID)
      const sent = box.messages.get(draftID)
      expect(sent).toMatchObject({ isDraft: false, folderID: "AAMk-sent" })
      expect(sent?.fields).toMatchObject({
        conversationId: "thread",
        internetMessageId: outgoing.internetMessageID,
        body: { content: "<html><body><p>We come tomorrow.</p><hr><div><p>It leaks</p></div></body></html>" }
      })
      expect(sent?.attachments.map(({ bytes, name }) => [name, bytes.length])).toEqual([
        ["1000.bin", 1000],
        ["7500000.bin", 7_500_000]
      ])
      expect(yield* find).toEqual(Option.some({ id: draftID, isDraft: false }))
    })
  )

  it.effect("keeps no draft of an answer that it refuses or that is withdrawn", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("drafts@acme.example")
      const box = server.mailbox(mailbox.address)
      const inFolder = (folder: string) => [...box.messages.values()].filter(({ folderID }) => folderID === folder)
      const question = box.add("AAMk-inbox", mail().fields)
      const refused = graph.createReply(mailbox, question.id, { ...outgoing, to: "refused@home.example" })
      expect(yield* Effect.flip(refused)).toMatchObject({ reason: "Refused" })
      expect(inFolder("AAMk-drafts")).toEqual([])
      const draftID = yield* graph.createDraft(mailbox, { ...outgoing, internetMessageID: "<casework-3@x>" })
      yield* graph.removeDraft(mailbox, draftID)
      expect(inFolder("AAMk-drafts")).toEqual([])
      box.messages.delete(draftID)
      yield* graph.removeDraft(mailbox, draftID)
      const sentID = yield* graph.createDraft(mailbox, { ...outgoing, internetMessageID: "<casework-4@x>" })
      yield* graph.send(mailbox, sentID)
      yield* graph.removeDraft(mailbox, sentID)
      expect(inFolder("AAMk-sent").map(({ id }) => id)).toEqual([sentID])
    })
  )

  it.effect("keeps no draft that is interrupted before it can be found again", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("interrupted@acme.example")
      const box = server.mailbox(mailbox.address)
      const drafts = () => [...box.messages.values()].filter(({ folderID }) => folderID === "AAMk-drafts")
      const question = box.add("AAMk-inbox", mail().fields)
      yield* server.set({ latency: 1000 })
      const answering = yield* Effect.fork(graph.createReply(mailbox, question.id, outgoing))
      yield* eventually(
        Effect.sync(() => drafts().length === 1 && box.atOnce === 1),
        (isBeingFilled) => isBeingFilled
      )
      yield* server.set({})
      yield* Fiber.interrupt(answering)
      expect(drafts()).toEqual([])
    })
  )

  it.effect("is told which mails are automatic, so that programs do not answer them", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("automatic@acme.example")
      const box = server.mailbox(mailbox.address)
      const question = box.add("AAMk-inbox", mail({}).fields)
      const ours = { name: "X-Auto-Response-Suppress", value: "OOF, AutoReply" }
      for (const isAutomatic of [true, false]) {
        const expected: unknown = isAutomatic ? expect.arrayContaining([ours]) : expect.not.arrayContaining([ours])
        const draft = yield* graph.createDraft(mailbox, { ...outgoing, isAutomatic })
        const reply = yield* graph.createReply(mailbox, question.id, { ...outgoing, isAutomatic })
        for (const id of [draft, reply]) expect(headersIn(box.messages.get(id)?.fields)).toEqual(expected)
        const unkept = { ...outgoing, text: "Look", html: undefined, isAutomatic, isConfidential: false }
        yield* graph.sendUnkept(mailbox, unkept)
      }
      expect(box.unkept.map(headersIn)).toEqual([[ours], []])
    })
  )

  it.effect("is not asked to send again when it may already have sent", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const mailbox = yield* mailboxOf("once@acme.example")
      const draftID = yield* graph.createDraft(mailbox, { ...outgoing, internetMessageID: "<casework-2@x>" })
      yield* server.set({ cutAfterSend: 1 })
      const before = server.state.requests
      expect(yield* Effect.flip(graph.send(mailbox, draftID))).toMatchObject({ reason: "Unavailable" })
      expect(server.state.requests - before).toBe(1)
      yield* server.set()
    })
  )
})

layer(graphAt("http://127.0.0.1:1/v1.0"), { excludeTestServices: true })("An unreachable Microsoft Graph", (it) => {
  it.effect("has certainly not sent a mail, as when it gives no token", () =>
    Effect.gen(function* () {
      const [server, graph] = [yield* GraphServer, yield* MailGraph]
      const message = {
        to: "lead@acme.example",
        subject: "x",
        text: "x",
        html: undefined,
        internetMessageID: "<1@x>",
        isAutomatic: true,
        isConfidential: false
      }
      const sendFrom = (address: string) =>
        Effect.flatMap(mailboxOf(address), (mailbox) => Effect.flip(graph.sendUnkept(mailbox, message)))
      yield* server.set({ throttleTokens: { requests: 1, retryAfter: "120" } })
      expect(yield* sendFrom("later@acme.example")).toMatchObject({ isUndone: true, retryAfterSeconds: 120 })
      yield* server.set()
      expect(yield* sendFrom("nowhere@acme.example")).toMatchObject({ reason: "Unavailable", isUndone: true })
    })
  )
})
