import { HubClient, Lost, Refused } from "../hub/HubClient.ts"
import { isRecord } from "../hub/Protocol.ts"
import { type ChatState, isOver, stateAfter } from "./ChatState.ts"
import { Company } from "./Company.ts"
import * as Conversation from "./Conversation.ts"
import { Delivery } from "./Delivery.ts"
import { type Feedback, readFeedback } from "./Feedback.ts"
import type { Options } from "./Options.ts"
import { Thread } from "./Thread.ts"
import { newTicketToken, type TicketStore } from "./TicketStore.ts"
import { Transcript } from "./Transcript.ts"
import type { UnsentStore } from "./UnsentStore.ts"

const typingAgainAfter = 2500

/** Whether the hub says that the chat no longer exists. */
const isGone = (error: unknown) => error instanceof Refused && /no such chat/i.test(error.message)

/** The visitor's side of one chat: what the hub says about it, who is there, and what the visitor does. */
export class Chat {
  state: ChatState = "stopped"
  readonly company = new Company(() => this.onChange())
  onChange: () => void = () => undefined
  #typingSaidAt = 0
  readonly #hub: HubClient
  readonly #options: Options
  readonly #thread: Thread
  readonly #transcript: Transcript
  readonly #delivery: Delivery
  readonly #unsent: UnsentStore

  constructor(options: Options, store: TicketStore, unsent: UnsentStore) {
    this.#options = options
    this.#thread = new Thread(store)
    this.#transcript = new Transcript(unsent)
    this.#unsent = unsent
    const address = new URL("/chatHub", options.service)
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:"
    address.search = new URLSearchParams({ channelToken: options.channelToken }).toString()
    this.#hub = new HubClient({
      address: () => address.href,
      onState: (state) => this.#enter(state),
      onEvent: (target, values) => this.#hear(target, values[0]),
      onEnd: (ending) => this.#end(stateAfter(ending)),
      onFull: () => this.#enter("full")
    })
    this.#delivery = new Delivery(this.#hub, this.#thread, this.#transcript, {
      isOver: () => this.isOver,
      recall: () => this.#recall(),
      forgetIfGone: (error) => this.#forgetIfGone(error),
      onChange: () => this.onChange()
    })
  }

  get isOver() {
    return isOver(this.state)
  }

  /** Whether something was said in the chat or still waits to be sent. */
  get isOngoing() {
    return this.#transcript.isWaiting || this.#thread.remembered !== undefined
  }

  get lines() {
    return this.#transcript.lines
  }

  /** What the visitor has begun to write; undefined where storage is unavailable. */
  get draft() {
    return this.#unsent.draft
  }

  keepDraft(text: string) {
    this.#unsent.keepDraft(text)
  }

  start() {
    this.#hub.start()
  }

  say(text: string) {
    this.#transcript.change((lines) => Conversation.write(lines, `own-${newTicketToken()}`, text, Date.now()))
    this.onChange()
    void this.#delivery.sendQueued()
  }

  sayAgain(key: string) {
    this.#transcript.mark(key, "queued")
    this.onChange()
    void this.#delivery.sendQueued()
  }

  /**
   * Called when the browser restores the page as it was left: what other pages have sent in between must not be sent
   * again.
   */
  comeBack() {
    if (this.#transcript.comeBack()) this.onChange()
  }

  /** Called when another tab has begun the chat, or read in it. */
  follow() {
    if (this.#thread.ticketID !== undefined || this.#thread.remembered === undefined) return this.onChange()
    if (this.state === "connected") return void this.#readAgain()
    if (!this.isOver) this.start()
  }

  /** Tells the other side that the visitor is typing, but not for each letter. */
  noteTyping() {
    const { ticketID } = this.#thread
    const now = Date.now()
    if (ticketID === undefined || now - this.#typingSaidAt < typingAgainAfter) return
    this.#typingSaidAt = now
    this.#hub.invoke("Typing", ticketID).catch(() => undefined)
  }

  /** Asks for a person or, with an address, for an answer by mail. */
  async requestAgent(email?: string): Promise<Feedback> {
    const { ticketID } = this.#thread
    return readFeedback(
      await this.#hub.invoke("RequestAgent", {
        ...(ticketID !== undefined && { ticketID }),
        ...(email !== undefined && { email })
      })
    )
  }

  async rate(like: boolean): Promise<Feedback> {
    const token = encodeURIComponent(this.#thread.remembered ?? "")
    const address = new URL(`/ticketMessages/${token}/like-dislike?like=${like}`, this.#options.service)
    const response = await fetch(address, { credentials: "omit" })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Lost("not recorded")
    return readFeedback(answer)
  }

  #enter(state: ChatState) {
    this.state = state
    if (state === "waiting") this.company.stopTyping()
    this.onChange()
    if (state === "connected") void this.#resume()
  }

  /** Nothing more is sent: lines that still wait to be sent never will be. */
  #end(state: ChatState) {
    this.#transcript.change(Conversation.end)
    this.company.stopTyping()
    this.#enter(state)
  }

  async #resume() {
    try {
      await this.#recall()
    } catch (error) {
      if (error instanceof Lost) return
    }
    this.#transcript.change((lines) => Conversation.resume(lines, []))
    this.onChange()
    await this.#delivery.sendQueued()
  }

  /** Resumes the chat that this browser remembers; another tab may have begun it a moment ago. */
  async #recall() {
    const { remembered, token } = this.#thread
    if (token === undefined) return
    try {
      this.#takeHistory(await this.#hub.invoke("ResumeChat", token))
    } catch (error) {
      if (!isGone(error)) throw error
      // A chat whose token was only chosen has not begun, or is just beginning in another tab, which remembers it.
      if (remembered !== undefined) this.#forget(token)
    }
  }

  async #readAgain() {
    try {
      await this.#recall()
      this.onChange()
    } catch {
      // The conversation is read anyway once the connection is back.
    }
  }

  #forget(ticketToken?: string) {
    this.#thread.forget(ticketToken)
    this.company.leave()
  }

  #forgetIfGone(error: unknown) {
    const isForgotten = isGone(error)
    if (isForgotten) this.#forget()
    return isForgotten
  }

  #takeHistory(answer: unknown) {
    if (!isRecord(answer)) return
    const { agentName, messages } = answer
    if (typeof agentName === "string") this.company.recall(agentName)
    this.#thread.learn(answer)
    const told = Array.isArray(messages) ? messages.map(Conversation.readMessage) : []
    const known = told.filter((message) => message !== undefined)
    for (const { at, name } of Conversation.newAnswers(this.lines, known)) this.company.answer(name, at)
    this.#transcript.change((lines) => Conversation.resume(lines, known))
  }

  #hear(target: string, value: unknown) {
    switch (target) {
      case "MessageReceived": {
        if (Conversation.isAnnouncement(value)) return void this.#readAgain()
        const message = Conversation.readMessage(value)
        if (message === undefined) return
        if (message.from === "agent") this.company.answer(message.name, Date.now())
        this.#transcript.change((lines) => Conversation.receive(lines, message))
        break
      }
      case "AgentJoined": {
        if (!isRecord(value) || typeof value["name"] !== "string") return
        const after = this.lines.findLast(({ messageID }) => messageID !== null)?.messageID ?? null
        this.company.join(value["name"], after)
        break
      }
      case "Typing":
        if (!isRecord(value) || typeof value["from"] !== "string") return
        this.company.type(value["from"])
        break
      default:
        return
    }
    this.onChange()
  }
}
