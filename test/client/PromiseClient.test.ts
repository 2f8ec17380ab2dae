import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeCaseworkPromiseClient } from "../../schema/PromiseClient.ts"
import { aMessage } from "../files/Messages.ts"
import { samples } from "../files/Samples.ts"
import { formWith, tokenIn, upload } from "../files/Uploads.ts"
import { baseUrl, quietApp, send, tokenOf } from "../support/TestApp.ts"

const bytesOf = (content: Uint8Array | string) => new Uint8Array(Buffer.from(content))

const clientWith = (token: string) => Effect.map(baseUrl, (base) => makeCaseworkPromiseClient({ baseUrl: base, token }))

layer(quietApp(), { excludeTestServices: true })("The Promise client", (it) => {
  it.effect("answers the bytes of a file, whatever it is", () =>
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

  it.effect("answers nothing for a file that has not changed", () =>
    Effect.gen(function* () {
      const { files } = yield* clientWith(yield* tokenOf("acme-agent"))
      const { messageID } = yield* aMessage(1)
      const accessToken = tokenIn(yield* upload(messageID, formWith("text", "a.txt")))
      const { headers } = yield* send("GET", `/api/File/${accessToken}`)
      const known = { "if-none-match": headers.get("etag") ?? "" }
      const again = yield* Effect.promise(() => files.getFile({ path: { accessToken }, headers: known }))
      expect(again).toBeUndefined()
    })
  )

  it.effect("answers text as text, JSON as JSON, and nothing where there is nothing to say", () =>
    Effect.gen(function* () {
      const { health, mailWebhook, ticketMessageAttachments } = yield* clientWith(yield* tokenOf("acme-agent"))
      const { messageID } = yield* aMessage(1)
      yield* upload(messageID, formWith("text", "a.txt"))
      yield* Effect.promise(async () => {
        expect(await health.live()).toEqual({ status: "ok" })
        expect(await mailWebhook.validateMailWebhook({ urlParams: { validationToken: "abc" } })).toBe("abc")
        // Without a token to repeat the text is empty, but a text.
        expect(await mailWebhook.receiveMailNotifications({ urlParams: {}, payload: {} })).toBe("")
        const [file] = await ticketMessageAttachments.listAttachments({ path: { id: messageID } })
        const path = { id: messageID, attachmentId: file?.ticketMessageAttachmentID ?? 0 }
        expect(await ticketMessageAttachments.deleteAttachment({ path })).toBeUndefined()
      })
    })
  )
})
