import { Either } from "effect"
import {
  goodbye,
  handshakeAccepted,
  handshakeRefused,
  type Invocation,
  ping,
  readHandshake,
  readMessage
} from "./HubProtocol.ts"
import { splitRecords } from "./RecordFraming.ts"

/** Milliseconds. */
export const handshakeWithin = 15_000
export const pingEvery = 15_000
export const silentFor = 30_000
const longestLook = 5_000

const mostInvocations = 50
const floodSeconds = 5

/** The state of a connection. Times are in milliseconds of any one clock. */
export interface ConnectionState {
  readonly phase: "Greeting" | "Open" | "Closed"
  readonly rest: string
  readonly openedAt: number
  readonly heardAt: number
  readonly lookedAt: number
  readonly pingedAt: number
  /** The number of records in the current second, and how many seconds in a row before it had too many. */
  readonly second: number
  readonly count: number
  readonly floods: number
}

export type Output =
  | { readonly _tag: "Send"; readonly text: string }
  | { readonly _tag: "Invoke"; readonly invocation: Invocation }
  | { readonly _tag: "Close"; readonly text: string }

export interface Transition {
  readonly state: ConnectionState
  readonly outputs: ReadonlyArray<Output>
}

export const opened = (now: number): ConnectionState => ({
  phase: "Greeting",
  rest: "",
  openedAt: now,
  heardAt: now,
  lookedAt: now,
  pingedAt: now,
  second: Math.floor(now / 1000),
  count: 0,
  floods: 0
})

const close = (state: ConnectionState, before: ReadonlyArray<Output>, text: string): Transition => ({
  state: { ...state, phase: "Closed", rest: "" },
  outputs: [...before, { _tag: "Close", text }]
})

const counted = (state: ConnectionState, now: number): ConnectionState => {
  const second = Math.floor(now / 1000)
  if (second === state.second) return { ...state, count: state.count + 1 }
  const goesOn = second === state.second + 1 && state.count > mostInvocations
  return { ...state, second, count: 1, floods: goesOn ? state.floods + 1 : 0 }
}

const greet = (state: ConnectionState, record: string): Transition =>
  Either.match(readHandshake(record), {
    onLeft: (reason) => close(state, [], handshakeRefused(reason)),
    onRight: () => ({ state: { ...state, phase: "Open" }, outputs: [{ _tag: "Send", text: handshakeAccepted }] })
  })

const hear = (state: ConnectionState, record: string): Transition =>
  Either.match(readMessage(record), {
    onLeft: (error) => close(state, [], goodbye({ error })),
    onRight: (received) => {
      switch (received._tag) {
        case "Invocation":
          return { state, outputs: [{ _tag: "Invoke", invocation: received.invocation }] }
        case "Close":
          return close(state, [], "")
        case "Nothing":
          return { state, outputs: [] }
      }
    }
  })

/** The transition that text from the client causes. */
export const receive = (before: ConnectionState, chunk: string, now: number): Transition => {
  if (before.phase === "Closed") return { state: before, outputs: [] }
  const framed = splitRecords(before.rest, chunk)
  if (Either.isLeft(framed)) return close(before, [], goodbye({ error: "A message may have up to 32 KB." }))
  let state: ConnectionState = { ...before, rest: framed.right.rest, heardAt: now }
  const outputs: Array<Output> = []
  for (const record of framed.right.records) {
    state = counted(state, now)
    if (state.floods >= floodSeconds) return close(state, outputs, goodbye({ error: "Too many messages were sent." }))
    const next = state.phase === "Greeting" ? greet(state, record) : hear(state, record)
    outputs.push(...next.outputs)
    state = next.state
    if (state.phase === "Closed") break
  }
  return { state, outputs }
}

/** The transition that passing time causes; called about once a second. */
export const elapse = (before: ConnectionState, now: number): Transition => {
  // While this process was too busy to check, it was too busy to read: that time does not count as the client's silence.
  const unwatched = now - before.lookedAt > longestLook ? now - before.lookedAt : 0
  const state = { ...before, lookedAt: now, heardAt: before.heardAt + unwatched }
  if (state.phase === "Closed") return { state, outputs: [] }
  if (state.phase === "Greeting") {
    return now - state.openedAt < handshakeWithin
      ? { state, outputs: [] }
      : close(state, [], handshakeRefused("The handshake did not arrive in time."))
  }
  if (now - state.heardAt >= silentFor) {
    return close(state, [], goodbye({ error: "Nothing was received for 30 seconds.", allowReconnect: true }))
  }
  return now - state.pingedAt < pingEvery
    ? { state, outputs: [] }
    : { state: { ...state, pingedAt: now }, outputs: [{ _tag: "Send", text: ping }] }
}
