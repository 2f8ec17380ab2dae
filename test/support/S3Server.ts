import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"
import { portOf } from "./Listening.ts"

/**
 * How the server behaves: Silent carries out a PUT but never responds to anything, Deaf does not even read a request's
 * body, Stalls sends half an object and never the rest, Trickles sends it bit by bit, Busy refuses everything, ReadOnly
 * refuses writes, and Unrouted answers like a proxy that knows no server behind it.
 */
export type Manner = "Answers" | "Silent" | "Deaf" | "Stalls" | "Trickles" | "Busy" | "ReadOnly" | "Unrouted"

const isSigned = ({ headers }: IncomingMessage) =>
  /^AWS4-HMAC-SHA256 Credential=test-key\/\d{8}\/eu-test-1\/s3\//.test(headers.authorization ?? "")

const fail = (response: ServerResponse, status: number, code: string) => {
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
}

const trickle = (response: ServerResponse, bytes: Buffer, length: number) => {
  if (response.destroyed) return
  response.write(bytes.subarray(0, length))
  if (bytes.length <= length) response.end()
  else setTimeout(trickle, 300, response, bytes.subarray(length), length)
}

const answerGet = (response: ServerResponse, object: Buffer, range: string | undefined, manner: Manner) => {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? []
  if (start !== undefined && Number(start) >= object.length) return fail(response, 416, "InvalidRange")
  const part = start === undefined ? object : object.subarray(Number(start), Number(end) + 1)
  response.writeHead(start === undefined ? 200 : 206, {
    "content-length": part.length,
    ...(start !== undefined && {
      "content-range": `bytes ${start}-${Number(start) + part.length - 1}/${object.length}`
    })
  })
  if (manner === "Stalls") return response.write(part.subarray(0, part.length / 2))
  return manner === "Trickles" ? trickle(response, part, Math.ceil(part.length / 10)) : response.end(part)
}

interface State {
  readonly objects: Map<string, Buffer>
  manner: Manner
  /** The method of each request so far. */
  readonly seen: Array<string>
  /** The number of requests in progress. */
  underWay: number
}

/** The error for a request that is refused. */
const refusal = (
  manner: Manner,
  request: IncomingMessage,
  key: string
): { readonly status: number; readonly code: string } | undefined => {
  if (manner === "Busy") return { status: 503, code: "SlowDown" }
  if (!isSigned(request)) return { status: 403, code: "SignatureDoesNotMatch" }
  if (!key.startsWith("/files/")) return { status: 404, code: "NoSuchBucket" }
  return manner === "ReadOnly" && request.method !== "GET" ? { status: 403, code: "AccessDenied" } : undefined
}

const answer = (state: State, request: IncomingMessage, response: ServerResponse, body: Buffer) => {
  const { manner, objects } = state
  if (manner === "Unrouted") {
    return response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("404 page not found\n")
  }
  const key = decodeURIComponent(new URL(request.url ?? "", "http://s3").pathname)
  const object = objects.get(key)
  const refused = refusal(manner, request, key)
  if (refused !== undefined) return fail(response, refused.status, refused.code)
  if (request.method === "PUT") objects.set(key, body)
  if (manner === "Silent") return undefined
  switch (request.method) {
    case "PUT":
      return response.writeHead(200, { etag: '"1"' }).end()
    case "GET":
      return object === undefined
        ? fail(response, 404, "NoSuchKey")
        : answerGet(response, object, request.headers.range, manner)
    case "DELETE":
      // As some compatible stores do; Amazon's says 204 in both cases.
      return objects.delete(key) ? response.writeHead(204).end() : fail(response, 404, "NoSuchKey")
    default:
      return fail(response, 405, "MethodNotAllowed")
  }
}

const listen = (state: State) =>
  Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      state.underWay++
      state.seen.push(request.method ?? "")
      response.once("close", () => state.underWay--)
      if (state.manner === "Deaf") return
      // A client that breaks off gets no response.
      buffer(request).then(
        (body) => answer(state, request, response, body),
        () => undefined
      )
    })
    server.listen(0, "127.0.0.1", () => {
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ port: portOf(server), close }))
    })
  })

const credentials = { AWS_ACCESS_KEY_ID: "test-key", AWS_SECRET_ACCESS_KEY: "test-secret" }

/** An object store that speaks as much of the S3 protocol as the service needs; it only accepts signed requests. */
export const s3Server = Effect.gen(function* () {
  const state: State = { objects: new Map(), manner: "Answers", seen: [], underWay: 0 }
  const { close, port } = yield* Effect.acquireRelease(listen(state), ({ close }) => Effect.sync(close))
  yield* Effect.acquireRelease(
    Effect.sync(() => Object.assign(process.env, credentials)),
    () =>
      Effect.sync(() => {
        for (const name of Object.keys(credentials)) delete process.env[name]
      })
  )
  return {
    objects: state.objects,
    seen: Effect.sync((): ReadonlyArray<string> => state.seen),
    underWay: Effect.sync(() => state.underWay),
    /** Behaves this way from now on. */
    turn: (manner: Manner) =>
      Effect.sync(() => {
        state.manner = manner
      }),
    blobStore: `s3://files/casework?endpoint=http://127.0.0.1:${port}&region=eu-test-1`,
    /** Closes the server for good. */
    stop: Effect.sync(close)
  }
})
