import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, Redacted } from "effect"
import { portOf } from "./Listening.ts"

const refusal = (code: string, words: string) => {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${words}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeInt32BE(4 + fields.length, 1)
  return Buffer.concat([head, fields])
}

const listen = (onConnection: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const server = createServer(onConnection)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

const addressedBy = (database: URL, server: Server) => {
  const through = new URL(database)
  through.host = `127.0.0.1:${portOf(server)}`
  return Redacted.make(through.href)
}

/** A proxy between a node and its database that refuses connections which ask for a statement_timeout at startup. */
export const throughPooler = (database: Redacted.Redacted) =>
  Effect.gen(function* () {
    const url = new URL(Redacted.value(database))
    let refused = 0
    const server = yield* listen((client) => {
      client.on("error", () => client.destroy())
      client.once("data", (startup) => {
        if (startup.includes("statement_timeout")) {
          refused += 1
          client.end(refusal("08P01", "unsupported startup parameter: statement_timeout"))
          return
        }
        const upstream = connect(Number(url.port || 5432), url.hostname)
        upstream.on("error", () => client.destroy()).write(startup)
        client.pipe(upstream)
        upstream.pipe(client)
      })
    })
    return { url: addressedBy(url, server), refused: () => refused }
  })

/** A proxy between a node and its database that first refuses one connection with each of these codes. */
export const throughRefusing = (database: Redacted.Redacted, codes: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const url = new URL(Redacted.value(database))
    const left = [...codes]
    const server = yield* listen((client) => {
      client.on("error", () => client.destroy())
      client.once("data", (startup) => {
        const code = left.shift()
        if (code !== undefined) return client.end(refusal(code, "not now"))
        const upstream = connect(Number(url.port || 5432), url.hostname)
        upstream.on("error", () => client.destroy()).write(startup)
        client.pipe(upstream)
        return upstream.pipe(client)
      })
    })
    return { url: addressedBy(url, server), left: () => left.length }
  })

/** A proxy between a node and its database that can vanish: open connections then receive nothing, not even an end. */
export const throughVanishing = (database: Redacted.Redacted) =>
  Effect.gen(function* () {
    const url = new URL(Redacted.value(database))
    const open = new Set<Socket>()
    let isAway = false
    const server = yield* listen((client) => {
      const upstream = connect(Number(url.port || 5432), url.hostname)
      for (const [from, to] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        open.add(from)
        from.on("error", () => to.destroy()).on("close", () => to.destroy())
        if (!isAway) from.pipe(to)
      }
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of open) socket.destroy()
      })
    )
    return {
      url: addressedBy(url, server),
      vanish: Effect.sync(() => {
        isAway = true
        for (const socket of open) socket.unpipe().pause()
      }),
      /** Applies to new connections only. */
      comeBack: Effect.sync(() => {
        isAway = false
      })
    }
  })
