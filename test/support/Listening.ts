import type { Server } from "node:net"
import { Effect } from "effect"

/** The port that a server listens on. */
export const portOf = (server: Server) => {
  const address = server.address()
  if (typeof address === "object" && address !== null) return address.port
  throw new Error("The server does not listen")
}

/** Lets a server listen on a free port until the scope closes, and returns the port. */
export const listening = (server: Server, closeConnections: () => void, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, host, () => resume(Effect.succeed(portOf(server))))
    }),
    () =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        closeConnections()
      })
  )
