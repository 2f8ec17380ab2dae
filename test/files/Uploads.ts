import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expectError } from "../http/ErrorBody.ts"
import { textIn } from "../support/Fields.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { type Answer, send, testApp, tokenOf } from "../support/TestApp.ts"

/** The service with its files in a folder; the other tests keep theirs in the database. */
export const inFolder = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (DATA_DIR) => testApp({ BLOB_STORE: "folder", DATA_DIR }))
)

export const formWith = (bytes: Uint8Array | string, name: string, type = "application/octet-stream") => {
  const form = new FormData()
  form.append("note", "ignored")
  form.append("file", new File([bytes], name, { type }))
  return form
}

/** Sends a form as a representative. */
export const upload = (
  messageID: number,
  form: NonNullable<RequestInit["body"]>,
  username = "acme-agent",
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.flatMap(tokenOf(username), (token) =>
    send("POST", `/ticketMessages/${messageID}/attachments`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: form,
      // Required for a body that is generated while it is sent.
      duplex: "half"
    })
  )

/** A form with one part, written literally so that its file name can be as raw as a caller may write it. */
export const rawForm = (disposition: string, content: string) => ({
  headers: { "content-type": "multipart/form-data; boundary=b" },
  body: `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n--b--\r\n`
})

export const tokenIn = ({ json }: Answer) => textIn(json, "accessToken")

/** Expects the response that every request gets while the store is away. */
export const expectAway = (answer: Answer) => {
  expectError(answer, 503, /file store does not respond\. Send the request again/)
  expect(answer.headers.get("retry-after")).toBe("1")
}
