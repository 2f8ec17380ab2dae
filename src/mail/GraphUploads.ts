import { HttpBody, HttpClientRequest } from "@effect/platform"
import { Effect, Stream } from "effect"
import { piecesOf } from "../files/Pieces.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { wholeOf } from "../platform/WholeBytes.ts"
import type { AnswerFile } from "../sending/AnswerFiles.ts"
import { decodeJson } from "./GraphAnswers.ts"
import type { makeGraphRequests } from "./GraphRequests.ts"
import { UploadSession } from "./GraphShapes.ts"
import type { Mailbox } from "./MailGraph.ts"

// Files of 3 MB and more must be uploaded in pieces, each a multiple of 320 KiB.
const smallest = 3 * 1000 * 1000
const piece = 10 * 320 * 1024

/** Attaches files to drafts: small ones in one request, large ones piece by piece. */
export const makeGraphUploads = (requests: Effect.Effect.Success<typeof makeGraphRequests>) => {
  const post = (path: string, body: unknown) =>
    HttpClientRequest.post(requests.url(path)).pipe(HttpClientRequest.bodyUnsafeJson(body))

  const whole = fn("GraphUploads.whole")(function* (mailbox: Mailbox, path: string, file: AnswerFile) {
    const bytes = yield* wholeOf(file.bytes)
    const body = {
      "@odata.type": "#microsoft.graph.fileAttachment",
      name: file.fileName,
      contentType: file.contentType,
      contentBytes: bytes.toString("base64")
    }
    yield* requests.askOnce(mailbox, post(path, body), () => Effect.void)
  })

  // A piece whose response was lost may have been stored, so it is not sent again: the next attempt to deliver the mail
  // uploads the file from scratch.
  const putPiece = (mailbox: Mailbox, uploadUrl: string, bytes: Uint8Array, start: number, size: number) =>
    requests.askWithoutToken(
      mailbox,
      HttpClientRequest.put(uploadUrl).pipe(
        HttpClientRequest.setHeader("content-range", `bytes ${start}-${start + bytes.length - 1}/${size}`),
        HttpClientRequest.setBody(HttpBody.uint8Array(bytes, "application/octet-stream"))
      )
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
        Effect.as(putPiece(mailbox, uploadUrl, bytes, start, file.size), start + bytes.length)
      )
    )
  })

  return (mailbox: Mailbox, draftPath: string, file: AnswerFile) => {
    const path = `${draftPath}/attachments`
    return file.size < smallest ? whole(mailbox, path, file) : pieceByPiece(mailbox, path, file)
  }
}
