import { type HubClient, Lost } from "../hub/HubClient.ts"
import { isRecord } from "../hub/Protocol.ts"
import * as Conversation from "./Conversation.ts"
import type { Thread } from "./Thread.ts"
import type { Transcript } from "./Transcript.ts"

const pageAddress = () => `${location.origin}${location.pathname}`.slice(0, 4096)

interface DeliveryHandlers {
  readonly isOver: () => boolean
  /** Reads what the hub knows of the chat, before its first line is sent. */
  readonly recall: () => Promise<void>
  /** Called with every error of the hub; returns whether the chat no longer exists, so that a new one begins. */
  readonly forgetIfGone: (error: unknown) => boolean
  readonly onChange: () => void
}

/** Sends what the visitor has written, one line after the other, and each line once. */
export class Delivery {
  #isUnderWay = false
  readonly #hub: HubClient
  readonly #thread: Thread
  readonly #transcript: Transcript
  readonly #handlers: DeliveryHandlers

  constructor(hub: HubClient, thread: Thread, transcript: Transcript, handlers: DeliveryHandlers) {
    this.#hub = hub
    this.#thread = thread
    this.#transcript = transcript
    this.#handlers = handlers
  }

  async sendQueued() {
    if (this.#isUnderWay) return
    this.#isUnderWay = true
    try {
      while (this.#hub.state === "connected") {
        const line = this.#transcript.lines.find(({ state }) => state === "queued")
        if (line === undefined) break
        await this.#send(line)
      }
    } finally {
      this.#isUnderWay = false
    }
  }

  async #send({ key, text }: Conversation.Line) {
    const { forgetIfGone, isOver, onChange, recall } = this.#handlers
    try {
      if (this.#thread.ticketID === undefined) await recall()
      // The message may have been sent before, and have arrived.
      if (Conversation.hasArrived(this.#transcript.lines, key)) return onChange()
      const place = this.#thread.place()
      this.#transcript.change((lines) => Conversation.depart(lines, key))
      onChange()
      const answer = await this.#hub.invoke("SendMessage", { ...place, message: text, pageURL: pageAddress() })
      if (!isRecord(answer) || typeof answer["messageID"] !== "number") return this.#mark(key, "failed")
      const { messageID } = answer
      this.#thread.learn(answer)
      this.#transcript.change((lines) => Conversation.settle(lines, key, messageID))
      onChange()
    } catch (error) {
      if (forgetIfGone(error)) this.#queueAnew(key)
      else if (!(error instanceof Lost) || isOver()) this.#mark(key, "failed")
      else if (Conversation.isOnItsWay(this.#transcript.lines, key)) this.#mark(key, "lost")
    }
  }

  #queueAnew(key: string) {
    this.#transcript.change((lines) => Conversation.queueAnew(lines, key))
    this.#handlers.onChange()
  }

  #mark(key: string, state: Conversation.Line["state"]) {
    this.#transcript.mark(key, state)
    this.#handlers.onChange()
  }
}
