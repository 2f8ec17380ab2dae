import type { Socket as NetSocket } from "node:net"
import { Effect, Queue } from "effect"
import type { Invocation } from "./HubProtocol.ts"

// With this many calls waiting the socket is not read until half of them are done.
const mostCalls = 16

/** The calls of one client that are not done yet, in order. */
export const makeWaitingCalls = (below: NetSocket) =>
  Effect.map(Queue.unbounded<Invocation | undefined>(), (calls) => {
    let count = 0
    const take = Effect.map(Queue.take(calls), (call) => {
      count -= 1
      if (count < mostCalls / 2) below.resume()
      return call
    })
    /** Carries out the calls one after the other until the end. */
    const doAll = (doOne: (call: Invocation) => Effect.Effect<void>): Effect.Effect<void> =>
      Effect.flatMap(take, (call) => (call === undefined ? Effect.void : Effect.zipRight(doOne(call), doAll(doOne))))
    return {
      add: (call: Invocation) => {
        count += 1
        calls.unsafeOffer(call)
      },
      /** Stops reading from the client while too many of its calls wait. */
      holdBack: () => {
        if (count >= mostCalls) below.pause()
      },
      /** No more calls will come. */
      end: () => void calls.unsafeOffer(undefined),
      doAll
    }
  })

export type WaitingCalls = Effect.Effect.Success<ReturnType<typeof makeWaitingCalls>>
