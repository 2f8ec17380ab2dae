import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"
import { portOf } from "../../support/Listening.ts"

/** A line between browser and service that can be cut. */
export const makeLine = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let isCut = false
      const server = createServer((client) => {
        if (isCut) return client.destroy()
        const service = connect(port, "127.0.0.1")
        for (const socket of [client, service]) {
          sockets.add(socket)
          socket.on("error", () => socket.destroy())
          socket.on("close", () => sockets.delete(socket))
        }
        client.on("close", () => service.destroy())
        service.on("close", () => client.destroy())
        client.pipe(service)
        return service.pipe(client)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return {
        url: `http://localhost:${portOf(server)}`,
        cut: () => {
          isCut = true
          for (const socket of sockets) socket.destroy()
        },
        mend: () => {
          isCut = false
        },
        close: () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )
