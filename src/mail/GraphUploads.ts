import { HttpBody, HttpClient, HttpClientRequest } from "@effect/platform"
import { Chunk, Effect, Stream } from "effect"
import type { AnswerFile } from "../delivery/AnswerFiles.ts"
import { piecesOf } from "../files/Pieces.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { decodeJson, orProblem } from "./GraphAnswers.ts"
import type { makeGraphRequests } from "./GraphRequests.ts"
import { UploadSession } from "./GraphShapes.ts"
import { type Mailbox, MailProblem } from "./MailGraph.ts"

// From 3 MB on the provider wants a file in pieces, each a multiple of 320 KiB.
const smallest = 3 * 1000 * 1000
const piece = 10 * 320 * 1024

const unreachable = () => new MailProblem({ reason: "Unavailable", message: "The mail provider cannot be reached" })

/** Attaches files to drafts, small ones at once and large ones piece by piece. */
export const makeGraphUploads = (requests: Effect.Effect.Success<typeof makeGraphRequests>) =>
  Effect.gen(function* () {
    // An upload address carries its own permission: it must not get the token as well.
    const plain = (yield* HttpClient.HttpClient).pipe(HttpClient.withTracerDisabledWhen(() => true))

    const post = (path: string, body: unknown) =>
      HttpClientRequest.post(requests.url(path)).pipe(HttpClientRequest.bodyUnsafeJson(body))

    const whole = fn("GraphUploads.whole")(function* (mailbox: Mailbox, path: string, file: AnswerFile) {
      const chunks = yield* Stream.runCollect(file.bytes)
      const body = {
        "@odata.type": "#microsoft.graph.fileAttachment",
        name: file.fileName,
        contentType: file.contentType,
        contentBytes: Buffer.concat(Chunk.toReadonlyArray(chunks)).toString("base64")
      }
      yield* requests.askOnce(mailbox, post(path, body), () => Effect.void)
    })

    const putPiece = (uploadUrl: string, bytes: Uint8Array, start: number, size: number) =>
      HttpClientRequest.put(uploadUrl).pipe(
        HttpClientRequest.setHeader("content-range", `bytes ${start}-${start + bytes.length - 1}/${size}`),
        HttpClientRequest.setBody(HttpBody.uint8Array(bytes, "application/octet-stream")),
        plain.execute,
        Effect.mapError(unreachable),
        Effect.flatMap(orProblem),
        Effect.retry({ while: ({ reason }) => reason === "Unavailable", times: 3 })
      )

    const pieceByPiece = fn("GraphUploads.pieceByPiece")(function* (mailbox: Mailbox, path: string, file: AnswerFile) {
      const AttachmentItem = {
        attachmentType: "file",
        name: file.fileName,
        size: file.size,
        contentType: file.contentType
      }
      const { uploadUrl } = yield* requests.askOnce(
        mailbox,
        post(`${path}/createUploadSession`, { AttachmentItem }),
        decodeJson(UploadSession)
      )
      yield* piecesOf(file.bytes, piece).pipe(
        Stream.runFoldEffect(0, (start, bytes) =>
          Effect.as(putPiece(uploadUrl, bytes, start, file.size), start + bytes.length)
        )
      )
    })

    return (mailbox: Mailbox, draftPath: string, file: AnswerFile) => {
      const path = `${draftPath}/attachments`
      return file.size < smallest ? whole(mailbox, path, file) : pieceByPiece(mailbox, path, file)
    }
  })
