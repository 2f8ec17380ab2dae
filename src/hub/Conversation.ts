import type { Socket as NetSocket } from "node:net"
import type { Admitted } from "./Admission.ts"
import type { ClientOutbox } from "./ClientOutbox.ts"
import { type ConnectionState, elapse, opened, receive, type Transition } from "./ConnectionState.ts"
import type { HubClient } from "./HubClients.ts"
import { goodbye } from "./HubProtocol.ts"
import { largestRecord } from "./RecordFraming.ts"
import type { WaitingCalls } from "./WaitingCalls.ts"

// A message has up to 32 KB; part of the next one may have arrived with its end.
const longestUnfinished = largestRecord + 64 * 1024

/** Carries out for one connection what its state decides. */
export const makeConversation = (
  { caller, farewell, isStillGood }: Admitted,
  below: NetSocket,
  outbox: ClientOutbox,
  calls: WaitingCalls,
  now: () => number
) => {
  let state: ConnectionState = opened(now())
  let finishedAt = below.bytesRead

  const close = (text: string) => {
    state = { ...state, phase: "Closed" }
    outbox.end(text)
  }

  const apply = (transition: Transition) => {
    state = transition.state
    for (const output of transition.outputs) {
      if (output._tag === "Send") outbox.send(output.text)
      else if (output._tag === "Close") close(output.text)
      else calls.add(output.invocation)
    }
    calls.holdBack()
  }

  const client: HubClient = {
    caller,
    send: (text) => {
      if (state.phase === "Open") outbox.send(text)
    },
    close
  }

  return {
    client,
    /** Handles data from the client. */
    hear: (data: string | Uint8Array) => {
      finishedAt = below.bytesRead
      if (typeof data === "string") apply(receive(state, data, now()))
      else close(goodbye({ error: "Send text, not binary frames." }))
    },
    /** Frames are only delivered when complete: a client that sends one without end is cut off here. */
    guard: () => {
      if (below.bytesRead - finishedAt > longestUnfinished) below.destroy()
    },
    /** Applies passing time to the connection. */
    tick: () => {
      apply(elapse(state, now()))
      if (!isStillGood()) close(goodbye({ error: farewell }))
    }
  }
}
