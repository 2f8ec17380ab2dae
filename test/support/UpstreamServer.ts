import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { Context, Effect, Layer, Schedule } from "effect"
import { listening } from "./Listening.ts"

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** Responds to one kind of request as an external API, a broken one or a hostile one would. */
export type Behaviour = (request: SeenRequest, response: ServerResponse) => void

/** An external API on this machine, with an address and a port of its own. */
export class UpstreamServer extends Context.Tag("test/UpstreamServer")<
  UpstreamServer,
  {
    readonly port: number
    /** Its URL; the service only calls it when OUTBOUND_ALLOW permits it. */
    readonly url: string
    /** Sets its behaviour at a path from now on. */
    readonly on: (path: string, behaviour: Behaviour) => Effect.Effect<void>
    readonly requests: Effect.Effect<ReadonlyArray<SeenRequest>>
    /** Waits until no client is connected any more. */
    readonly deserted: Effect.Effect<void, string>
  }
>() {
  static readonly layer = Layer.scoped(
    UpstreamServer,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const behaviours = new Map<string, Behaviour>()
  const seen: Array<SeenRequest> = []
  const listener: RequestListener = async (request, response) => {
    const url = request.url ?? ""
    const body = (await buffer(request)).toString("utf8")
    const one = { method: request.method ?? "", url, headers: request.headers, body }
    seen.push(one)
    const behaviour = behaviours.get(url.split("?")[0] ?? "")
    if (behaviour === undefined) response.writeHead(404).end("no such thing")
    else behaviour(one, response)
  }
  // No connection is reused, so that the guard checks every request.
  const server = createServer({ keepAlive: false }, (request, response) => {
    response.setHeader("connection", "close")
    return listener(request, response)
  })
  // Listens on every address of this machine, so that names can resolve to 127.0.0.1 and to 127.0.0.2.
  const port = yield* listening(server, () => server.closeAllConnections(), "0.0.0.0")
  const connections = Effect.async<number>((resume) => {
    server.getConnections((_, count) => resume(Effect.succeed(count)))
  })
  return UpstreamServer.of({
    port,
    url: `http://127.0.0.1:${port}`,
    on: (path, behaviour) => Effect.sync(() => void behaviours.set(path, behaviour)),
    requests: Effect.sync(() => [...seen]),
    deserted: connections.pipe(
      Effect.filterOrFail(
        (count) => count === 0,
        (count) => `${count} connections are still open`
      ),
      Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.intersect(Schedule.recurs(2500)))),
      Effect.asVoid
    )
  })
})
