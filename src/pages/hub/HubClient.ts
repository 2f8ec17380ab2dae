import { backoff } from "./Backoff.ts"
import { handshake, invocation, ping, type Received, receive } from "./Protocol.ts"
import { refusalOf } from "./Refusal.ts"

/** The hub responded with an error: asking again would not help. */
export class Refused extends Error {}

/** It is unknown whether the hub received the call. */
export class Lost extends Error {}

export type HubState = "stopped" | "connecting" | "connected" | "waiting"

/** Why the connection ended: the hub's message, or the status with which it refuses this client. */
export type Ending = { readonly words: string } | { readonly status: number }

interface HubOptions {
  readonly address: () => string
  readonly onEvent: (target: string, values: ReadonlyArray<unknown>) => void
  readonly onState: (state: HubState) => void
  /**
   * Called when the hub has closed for good or refuses this client: the client has stopped. Without this handler it
   * keeps trying.
   */
  readonly onEnd?: (ending: Ending) => void
  /** Called when the hub is full; the client keeps trying. */
  readonly onFull?: () => void
}

const silence = { handshake: 10_000, server: 32_000, ownPing: 15_000, answer: 20_000 }

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: Error) => void
  readonly timer: ReturnType<typeof setTimeout>
}

/**
 * A small client of the hub: web sockets only, no negotiation. It reconnects by itself with growing delays, and at once
 * when the browser comes back online or the page becomes visible again.
 */
export class HubClient {
  #socket: WebSocket | undefined
  #attempt = 0
  #nextID = 0
  #waiting = new Map<string, Waiting>()
  #deadline: ReturnType<typeof setTimeout> | undefined
  #pings: ReturnType<typeof setInterval> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  state: HubState = "stopped"
  readonly #options: HubOptions

  constructor(options: HubOptions) {
    this.#options = options
  }

  start() {
    if (this.state !== "stopped") return
    addEventListener("online", this.#hurry)
    document.addEventListener("visibilitychange", this.#hurry)
    this.#connect()
  }

  stop() {
    removeEventListener("online", this.#hurry)
    document.removeEventListener("visibilitychange", this.#hurry)
    clearTimeout(this.#retry)
    this.#drop()
    this.#enter("stopped")
  }

  invoke(method: string, ...values: ReadonlyArray<unknown>): Promise<unknown> {
    const socket = this.#socket
    if (socket === undefined || this.state !== "connected") return Promise.reject(new Lost("not connected"))
    const invocationId = String(++this.#nextID)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(invocationId)
        reject(new Lost("no answer"))
      }, silence.answer)
      this.#waiting.set(invocationId, { resolve, reject, timer })
      socket.send(invocation(invocationId, method, values))
    })
  }

  #connect() {
    clearTimeout(this.#retry)
    this.#enter("connecting")
    const socket = new WebSocket(this.#options.address())
    this.#socket = socket
    this.#expect(silence.handshake)
    socket.onopen = () => socket.send(handshake)
    socket.onclose = () => this.#lose()
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return
      for (const message of receive(data)) if (this.#socket === socket) this.#take(message)
    }
  }

  #take(message: Received) {
    this.#expect(silence.server)
    switch (message.kind) {
      case "handshake":
        return message.error === undefined ? this.#open() : this.#lose()
      case "event":
        return this.#options.onEvent(message.target, message.values)
      case "completion": {
        const waiting = this.#waiting.get(message.invocationId)
        this.#waiting.delete(message.invocationId)
        clearTimeout(waiting?.timer)
        return message.error === undefined
          ? waiting?.resolve(message.result)
          : waiting?.reject(new Refused(message.error))
      }
      case "close":
        return message.mayReconnect ? this.#lose() : this.#end({ words: message.error ?? "" })
      case "ping":
        // Timers alone would not do: those of a page that has been hidden for minutes run about once a minute.
        return this.#socket?.send(ping)
    }
  }

  #open() {
    this.#attempt = 0
    // The hub's own pings, which are answered, come late while much else is on its way here.
    this.#pings = setInterval(() => this.#socket?.send(ping), silence.ownPing)
    this.#enter("connected")
  }

  #expect(milliseconds: number) {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#lose(), milliseconds)
  }

  #lose() {
    if (this.state === "stopped" || this.state === "waiting") return
    const wasLetIn = this.state === "connected"
    this.#drop()
    this.#enter("waiting")
    this.#retry = setTimeout(() => this.#connect(), backoff(this.#attempt++, Math.random()))
    if (!wasLetIn) void this.#askWhetherRefused()
  }

  async #askWhetherRefused() {
    const { address, onEnd, onFull } = this.#options
    const status = onEnd === undefined ? undefined : await refusalOf(address())
    if (status === undefined || !(this.state === "waiting" || this.state === "connecting")) return
    if (status === 429) onFull?.()
    else this.#end({ status })
  }

  #end(ending: Ending) {
    const { onEnd } = this.#options
    if (onEnd === undefined) return this.#lose()
    this.stop()
    return onEnd(ending)
  }

  #drop() {
    clearTimeout(this.#deadline)
    clearInterval(this.#pings)
    const socket = this.#socket
    this.#socket = undefined
    if (socket !== undefined) {
      socket.onopen = socket.onclose = socket.onmessage = null
      socket.close()
    }
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject, timer } of waiting) {
      clearTimeout(timer)
      reject(new Lost("the connection broke"))
    }
  }

  readonly #hurry = () => {
    if (this.state === "waiting" && document.visibilityState === "visible") this.#connect()
  }

  #enter(state: HubState) {
    if (this.state === state) return
    this.state = state
    this.#options.onState(state)
  }
}
