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
          "if-range": header("An ETag; the range holds only when the file still has it", '"etag"'),
          "if-none-match": header("An ETag; 304 when the file still has it", '"etag"')
        })
      )
      .addSuccess(FileContent.annotations({ description: "The file" }))
      .addSuccess(FileContent.annotations({ description: "The range that was asked for" }), { status: 206 })
      .addSuccess(HttpApiSchema.Empty(304).annotations({ description: "Not changed since the given ETag" }))
      .addError(NotFound)
      .addError(RangeNotSatisfiable)
      .annotateContext(
        OpenApi.annotations({
          summary: "Download a file",
          description:
            "Public: the token in the path is the key. Content-Type is what the content was found to be. JPEG, PNG, WebP, GIF, PDF and plain text are sent inline, everything else as an attachment, SVG, HTML and XML among it since they can run scripts. Every answer forbids guessing another type and is sandboxed. A single range is answered with 206, one outside of the file with 416."
        })
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Files", description: "Downloads of attachments." })) {}
