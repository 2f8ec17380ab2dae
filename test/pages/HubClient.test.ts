import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type ConnectionState, elapse, opened, receive, type Transition } from "../../src/hub/ConnectionState.ts"
import { HubClient } from "../../src/pages/hub/HubClient.ts"
import { handshake, ping } from "../../src/pages/hub/Protocol.ts"

/** A web socket whose other end is the hub's own side of a connection. */
class SocketToHub {
  static readonly all: Array<SocketToHub> = []
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((event: { readonly data: string }) => void) | null = null
  readonly sent: Array<string> = []
  #hub: ConnectionState = opened(0)
  #now = 0

  constructor() {
    SocketToHub.all.push(this)
  }

  send(text: string) {
    this.sent.push(text)
    this.#apply(receive(this.#hub, text, this.#now))
  }

  close() {
    this.#hub = { ...this.#hub, phase: "Closed" }
  }

  get phase() {
    return this.#hub.phase
  }

  /** Lets time pass for the hub alone. */
  passAtHub(seconds: number) {
    for (let second = 0; second < seconds; second++) {
      this.#now += 1000
      this.#apply(elapse(this.#hub, this.#now))
    }
  }

  #apply({ outputs, state }: Transition) {
    this.#hub = state
    for (const output of outputs) if (output._tag !== "Invoke") this.onmessage?.({ data: output.text })
  }
}

describe("The pages' hub client in a hidden tab", () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal("WebSocket", SocketToHub)
    vi.stubGlobal("document", new EventTarget())
    vi.stubGlobal("addEventListener", () => undefined)
    vi.stubGlobal("removeEventListener", () => undefined)
  })
  afterEach(() => {
    SocketToHub.all.length = 0
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it("stays connected although none of its timers run, and sends no more pings than the hub", () => {
    const client = new HubClient({
      address: () => "ws://localhost/chatHub",
      onEvent: () => undefined,
      onState: () => undefined
    })
    client.start()
    const [socket, ...others] = SocketToHub.all
    socket?.onopen?.()
    socket?.passAtHub(300)
    expect([socket?.phase, client.state]).toEqual(["Open", "connected"])
    expect(socket?.sent).toEqual([handshake, ...Array.from({ length: 20 }, () => ping)])
    expect(others).toEqual([])
    client.stop()
  })
})
