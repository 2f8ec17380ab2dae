import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

const isSigned = ({ headers }: IncomingMessage) =>
  /^AWS4-HMAC-SHA256 Credential=test-key\/\d{8}\/eu-test-1\/s3\//.test(headers.authorization ?? "")

const fail = (response: ServerResponse, status: number, code: string) => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const answerGet = (response: ServerResponse, object: Buffer, range: string | undefined) => {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? []
  if (start === undefined || end === undefined) return response.writeHead(200).end(object)
  const part = object.subarray(Number(start), Number(end) + 1)
  return response
    .writeHead(206, { "content-range": `bytes ${start}-${Number(start) + part.length - 1}/${object.length}` })
    .end(part)
}

const listen = (objects: Map<string, Buffer>) =>
  Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer(async (request, response) => {
      const key = decodeURIComponent(new URL(request.url ?? "", "http://s3").pathname)
      const body = await bodyOf(request)
      const object = objects.get(key)
      if (!isSigned(request)) return fail(response, 403, "AccessDenied")
      switch (request.method) {
        case "PUT":
          objects.set(key, body)
          return response.writeHead(200, { etag: '"1"' }).end()
        case "GET":
          return object === undefined
            ? fail(response, 404, "NoSuchKey")
            : answerGet(response, object, request.headers.range)
        case "DELETE":
          objects.delete(key)
          return response.writeHead(204).end()
        default:
          return fail(response, 405, "MethodNotAllowed")
      }
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : 0, close }))
    })
  })

const credentials = { AWS_ACCESS_KEY_ID: "test-key", AWS_SECRET_ACCESS_KEY: "test-secret" }

/** An object store that speaks as much of Amazon's language as the service does; it takes signed requests only. */
export const s3Server = Effect.gen(function* () {
  const objects = new Map<string, Buffer>()
  const { close, port } = yield* Effect.acquireRelease(listen(objects), ({ close }) => Effect.sync(close))
  yield* Effect.acquireRelease(
    Effect.sync(() => Object.assign(process.env, credentials)),
    () =>
      Effect.sync(() => {
        for (const name of Object.keys(credentials)) delete process.env[name]
      })
  )
  return {
    objects,
    blobStore: `s3://files/casework?endpoint=http://127.0.0.1:${port}&region=eu-test-1`,
    /** From then on nobody answers there. */
    stop: Effect.sync(close)
  }
})
