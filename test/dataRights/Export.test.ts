import { createHash } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import JSZip from "jszip"
import { field } from "../support/Fields.ts"
import { baseUrl, clientOf, send, sendJson, tokenOf } from "../support/TestApp.ts"
import { zipText } from "../support/ZipText.ts"
import { exported, leaveTraces, rightsApp } from "./RightsTools.ts"

const download = (accessToken: string | null) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/api/File/${accessToken}`)
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
    })
  )

layer(rightsApp, { excludeTestServices: true })("The export of an end user", (it) => {
  it.effect("is a file with everything that is stored, open to its token until it expires", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endUserID, messageID } = yield* leaveTraces("axolotl")
      const { dataRights } = yield* clientOf("acme-admin")
      const begun = yield* Effect.all(
        Array.from({ length: 3 }, () => dataRights.exportEndUser({ path: { id: endUserID } })),
        { concurrency: "unbounded" }
      )
      expect(new Set(begun.map(({ JobID }) => JobID)).size).toBe(1)
      const receipt = yield* exported(endUserID)
      expect(receipt).toMatchObject({ Status: "Succeeded", ReceiptID: begun[0]?.ReceiptID })

      const file = yield* download(receipt.AccessToken)
      expect(file.status).toBe(200)
      expect(file.headers.get("content-type")).toBe("application/zip")
      expect(file.headers.get("content-disposition")).toBe(`attachment; filename="end-user-${endUserID}.zip"`)
      expect(file.bytes).toHaveLength(yield* Effect.fromNullable(receipt.Size))
      expect(createHash("sha256").update(file.bytes).digest("hex")).toBe(receipt.Hash)

      const zip = yield* Effect.promise(() => JSZip.loadAsync(file.bytes))
      const text = (name: string) => Effect.promise(() => zipText(zip, name))
      for (const name of ["EndUsers", "Uids", "Tickets", "Messages", "AiRuns", "Jobs", "Mails", "OutboxMails"]) {
        const rows: unknown = JSON.parse(yield* text(`${name}.json`))
        expect(rows, name).toHaveLength(yield* Effect.fromNullable(receipt.Counts[name]))
        expect(JSON.stringify(rows), name).toContain("axolotl")
      }
      const messages: unknown = JSON.parse(yield* text("Messages.json"))
      expect(field(messages, "0")).toMatchObject({ messageID, senderType: "EndUser" })
      const names = Object.keys(zip.files)
      const named = (pattern: RegExp) => Effect.fromNullable(names.find((name) => pattern.test(name)))
      expect(yield* text(yield* named(/^attachments\/\d+-axolotl\.pdf$/))).toBe("%PDF-1.4 the passport of axolotl")
      expect(yield* text(yield* named(/^set-aside-mails\//))).toContain("axolotl again")

      yield* sql`update data_request set expires_at = now() where customer_id = 1 and about_end_user = ${endUserID}`
      expect((yield* send("GET", `/api/File/${receipt.AccessToken}`)).status).toBe(404)
      const again = yield* exported(endUserID)
      expect(again.AccessToken).not.toBe(receipt.AccessToken)
      expect((yield* download(again.AccessToken)).status).toBe(200)
    })
  )

  it.effect("is not started by a HEAD request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Only", LastName: "Headers" } })
      const head = (endUserID: number, username: string) =>
        Effect.flatMap(tokenOf(username), (token) => sendJson("HEAD", `/api/EndUsers/${endUserID}/export`, { token }))
      const begun = sql`select 1 from data_request where customer_id = 1 and about_end_user = ${id}`
      const { headers, status } = yield* head(id, "acme-admin")
      expect([status, headers.get("content-type")]).toEqual([200, "application/json"])
      expect((yield* head(id, "acme-agent")).status).toBe(403)
      expect((yield* head(id, "globex-admin")).status).toBe(404)
      expect((yield* head(2 ** 31 - 1, "acme-admin")).status).toBe(404)
      expect(yield* begun).toEqual([])
      expect((yield* exported(id)).Status).toBe("Succeeded")
      expect((yield* head(id, "acme-admin")).status).toBe(200)
      expect(yield* begun).toHaveLength(1)
    })
  )

  it.effect("is not started again for an end user who no longer exists", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { dataRights, endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "Ibex", LastName: "Horn" } })
      const { JobID } = yield* exported(id)
      yield* sql`
        update data_request set finished_at = null where customer_id = 1 and about_end_user = ${id}`
      yield* sql`update job set status = 'Failed' where customer_id = 1 and job_id = ${JobID}::uuid`
      yield* endUsers.deleteEndUser({ path: { id } })
      expect((yield* Effect.flip(dataRights.exportEndUser({ path: { id } })))._tag).toBe("NotFound")
      yield* sql`update job set status = 'Succeeded' where customer_id = 1 and job_id = ${JobID}::uuid`
      expect((yield* Effect.flip(dataRights.exportEndUser({ path: { id } })))._tag).toBe("NotFound")
    })
  )
})
