import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NotFound, RangeNotSatisfiable } from "./Errors.ts"
import { changeable } from "./Fields.ts"

const FileContent = HttpApiSchema.Uint8Array({ contentType: "application/octet-stream" })

// A malformed token is treated like any unknown one.
const accessToken = HttpApiSchema.param("accessToken", Schema.String)

const header = (description: string, example: string) =>
  changeable(Schema.String.annotations({ examples: [example] })).annotations({ description })

export class FilesApi extends HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("getFile")`/api/File/${accessToken}`
      .setHeaders(
        Schema.Struct({
          range: header(
            "One range of bytes; several, or another unit, are answered with the whole file",
            "bytes=0-499"
          ),
          "if-range": header("An ETag; the range applies only if the file still has it", '"etag"'),
          "if-none-match": header("An ETag; returns 304 if the file still has it", '"etag"')
        })
      )
      .addSuccess(FileContent.annotations({ description: "The file" }))
      .addSuccess(FileContent.annotations({ description: "The requested range" }), { status: 206 })
      .addSuccess(HttpApiSchema.Empty(304).annotations({ description: "Not changed since the given ETag" }))
      .addError(NotFound)
      .addError(RangeNotSatisfiable)
      .annotateContext(
        OpenApi.annotations({
          summary: "Download a file",
          description:
            "Public: the token in the path is the credential. Content-Type is the detected type of the content. JPEG, PNG, WebP, GIF, PDF and plain text are sent inline, everything else as an attachment, including SVG, HTML and XML since they can run scripts. Every response forbids content sniffing and is sandboxed. A single range returns 206, one outside the file 416."
        })
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Files", description: "Downloads of attachments." })) {}
