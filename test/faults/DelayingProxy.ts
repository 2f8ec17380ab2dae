import { connect, createServer, type Socket } from "node:net"
import { Effect } from "effect"
import { listening } from "../support/Listening.ts"

/** A proxy between the service and its database that delays everything by a given time. */
export const delayingProxy = (target: number) =>
  Effect.gen(function* () {
    let delay = 0
    let isAway = false
    const sockets = new Set<Socket>()
    const deaf = new WeakSet<Socket>()
    const pass = (from: Socket, to: Socket) => {
      sockets.add(from)
      if (isAway) deaf.add(from)
      // In order, also when the delay changes: each piece waits for the one before it.
      let last = Promise.resolve()
      from.on("data", (bytes) => {
        if (deaf.has(from)) return
        const due = Date.now() + delay
        last = last.then(async () => {
          const left = due - Date.now()
          if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
          if (to.writable && !deaf.has(from)) to.write(bytes)
        })
      })
      from.on("error", () => undefined)
      from.on("close", () => {
        sockets.delete(from)
        void last.then(() => to.end())
      })
    }
    const server = createServer((near) => {
      const far = connect(target, "127.0.0.1")
      pass(near, far)
      pass(far, near)
    })
    const port = yield* listening(server, () => {
      for (const socket of sockets) socket.destroy()
    })
    return {
      port,
      delayBy: (milliseconds: number) =>
        Effect.sync(() => {
          delay = milliseconds
        }),
      /** Existing and new connections get no more data, and no end. */
      vanish: Effect.sync(() => {
        isAway = true
        for (const socket of sockets) deaf.add(socket)
      }),
      /** Serves new connections again. */
      comeBack: Effect.sync(() => {
        isAway = false
      })
    }
  })
