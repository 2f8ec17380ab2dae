import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CaseworkError, etagOf, makeCaseworkPromiseClient } from "../../schema/PromiseClient.ts"
import { aMessage } from "../files/Messages.ts"
import { samples } from "../files/Samples.ts"
import { formWith, tokenIn, upload } from "../files/Uploads.ts"
import { numberIn } from "../support/Fields.ts"
import { baseUrl, headerOf, quietApp, send, tokenOf } from "../support/TestApp.ts"

const bytesOf = (content: Uint8Array | string) => new Uint8Array(Buffer.from(content))

const clientWith = (token: string) => Effect.map(baseUrl, (base) => makeCaseworkPromiseClient({ baseUrl: base, token }))

layer(quietApp(), { excludeTestServices: true })("The Promise client", (it) => {
  it.effect("returns the bytes of a file, whatever its type", () =>
    Effect.gen(function* () {
      const { files } = yield* clientWith(yield* tokenOf("acme-agent"))
      const { messageID } = yield* aMessage(1)
      for (const [content, name, type] of [
        ["Grüße", "a.txt", "text/plain"],
        ['{"a":1}', "a.json", "application/json"],
        [samples.png, "a.png", "image/png"]
      ] as const) {
        const accessToken = tokenIn(yield* upload(messageID, formWith(content, name, type)))
        const { headers } = yield* send("GET", `/api/File/${accessToken}`)
        expect(headers.get("content-type")).toContain(type)
        const bytes = bytesOf(content)
        const path = { accessToken }
        expect(yield* Effect.promise(() => files.getFile({ path })), name).toEqual(bytes)
        const range = { range: "bytes=1-3" }
        expect(yield* Effect.promise(() => files.getFile({ path, headers: range })), name).toEqual(bytes.slice(1, 4))
      }
      const missing = files.getFile({ path: { accessToken: "unknown" } })
      yield* Effect.promise(() => expect(missing).rejects.toMatchObject({ name: "CaseworkError", status: 404 }))
    })
  )

  it.effect("provides the ETag of a resource that was read, so that nobody else's change is lost", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientWith(yield* tokenOf("acme-admin"))
      yield* Effect.promise(async () => {
        const made = await actions.createAction({ payload: { name: "Guarded", priority: 1, isActive: true } })
        expect(etagOf(made)).toBeUndefined()
        const path = { id: made.actionID }
        const read = await actions.getAction({ path })
        const headers = { "If-Match": Option.getOrThrow(Option.fromNullable(etagOf(read))) }
        await actions.updateAction({ path, payload: { ...read, priority: 2 }, headers })
        const late = actions.updateAction({ path, payload: { ...read, priority: 3 }, headers })
        await expect(late).rejects.toMatchObject({ status: 412, retryAfter: null })
      })
    })
  )

  it.effect("reports when to try again", () =>
    Effect.gen(function* () {
      const busy = () =>
        Promise.resolve(new Response('{"message":"Too many"}', { status: 429, headers: { "retry-after": "7" } }))
      const { actions } = makeCaseworkPromiseClient({ baseUrl: yield* baseUrl, fetch: busy })
      const error = yield* Effect.promise(() =>
        actions.listActions({ urlParams: {} }).catch((problem: unknown) => problem)
      )
      expect(error).toBeInstanceOf(CaseworkError)
      expect(error).toMatchObject({ status: 429, message: "Too many", retryAfter: 7 })
    })
  )

  it.effect("returns undefined for a file that has not changed", () =>
    Effect.gen(function* () {
      const { files } = yield* clientWith(yield* tokenOf("acme-agent"))
      const { messageID } = yield* aMessage(1)
      const accessToken = tokenIn(yield* upload(messageID, formWith("text", "a.txt")))
      const file = yield* send("GET", `/api/File/${accessToken}`)
      const known = { "if-none-match": headerOf(file, "etag") }
      const again = yield* Effect.promise(() => files.getFile({ path: { accessToken }, headers: known }))
      expect(again).toBeUndefined()
    })
  )

  it.effect("returns text as text, JSON as JSON, and undefined for no content", () =>
    Effect.gen(function* () {
      const { health, mailWebhook, ticketMessageAttachments } = yield* clientWith(yield* tokenOf("acme-agent"))
      const { messageID } = yield* aMessage(1)
      yield* upload(messageID, formWith("text", "a.txt"))
      yield* Effect.promise(async () => {
        expect(await health.live()).toEqual({ status: "ok" })
        expect(await mailWebhook.validateMailWebhook({ urlParams: { validationToken: "abc" } })).toBe("abc")
        // Without a token to repeat, the response is still text, an empty one.
        expect(await mailWebhook.receiveMailNotifications({ urlParams: {}, payload: {} })).toBe("")
        const [file] = await ticketMessageAttachments.listAttachments({ path: { id: messageID } })
        const path = { id: messageID, attachmentId: numberIn(file, "ticketMessageAttachmentID") }
        expect(await ticketMessageAttachments.deleteAttachment({ path })).toBeUndefined()
      })
    })
  )
})
