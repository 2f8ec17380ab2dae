import { isRecord } from "../hub/Protocol.ts"

/** A message as the hub shows it to a visitor. */
export interface ChatMessage {
  readonly messageID: number
  readonly from: "visitor" | "agent"
  readonly text: string
  readonly name: string | null
  readonly at: number
}

export interface Line {
  readonly key: string
  readonly from: "visitor" | "agent"
  readonly text: string
  readonly name: string | null
  readonly at: number
  readonly messageID: number | null
  /** lost: the connection broke while it was being sent, so it is not yet known whether it arrived. */
  readonly state: "queued" | "sending" | "lost" | "failed" | "sent"
  /**
   * The newest message that was known when it was last sent; null if it never was. An older message cannot be this one.
   */
  readonly after: number | null
}

export const readMessage = (value: unknown): ChatMessage | undefined => {
  if (!isRecord(value)) return undefined
  const { customerRepName, dateCreated, message, messageID, senderType } = value
  return typeof messageID === "number" && typeof message === "string"
    ? {
        messageID,
        from: senderType === "EndUser" ? "visitor" : "agent",
        text: message,
        name: typeof customerRepName === "string" && customerRepName !== "" ? customerRepName : null,
        at: typeof dateCreated === "string" ? Date.parse(dateCreated) : Date.now()
      }
    : undefined
}

/** A very large message is announced without its text, which has to be read from the conversation. */
export const isAnnouncement = (value: unknown) =>
  isRecord(value) && typeof value["messageID"] === "number" && value["message"] === null

type Lines = ReadonlyArray<Line>

export const write = (lines: Lines, key: string, text: string, at: number): Lines => [
  ...lines,
  { key, from: "visitor", text, name: null, at, messageID: null, state: "queued", after: null }
]

export const mark = (lines: Lines, key: string, state: Line["state"]): Lines =>
  lines.map((line) => (line.key === key && line.state !== "sent" ? { ...line, state } : line))

const newest = (lines: Lines) => lines.reduce((latest, { messageID }) => Math.max(latest, messageID ?? 0), 0)

/** Marks a line as being sent. */
export const depart = (lines: Lines, key: string): Lines =>
  mark(lines, key, "sending").map((line) => (line.key === key ? { ...line, after: newest(lines) } : line))

/** The hub stored the line under this id; a broadcast of the same message is the same line. */
export const settle = (lines: Lines, key: string, messageID: number): Lines =>
  lines
    .filter((line) => line.key === key || line.messageID !== messageID)
    .map((line) => (line.key === key ? { ...line, messageID, state: "sent" } : line))

/** Its chat is gone: in another one the same words, perhaps written in another tab, are not this line. */
export const queueAnew = (lines: Lines, key: string): Lines =>
  mark(lines, key, "queued").map((line) => (line.key === key ? { ...line, after: null } : line))

export const hasArrived = (lines: Lines, key: string) => lines.some((line) => line.key === key && line.state === "sent")

export const isOnItsWay = (lines: Lines, key: string) =>
  lines.some((line) => line.key === key && line.state === "sending")

const inOrder = (lines: Lines): Lines =>
  [...lines].sort((a, b) => (a.messageID ?? Number.MAX_SAFE_INTEGER) - (b.messageID ?? Number.MAX_SAFE_INTEGER))

/** Adds a message that arrived, perhaps for the second time, perhaps one of the visitor's own. */
export const receive = (lines: Lines, message: ChatMessage): Lines => {
  if (lines.some(({ messageID }) => messageID === message.messageID)) return lines
  const own = lines.find(
    (line) =>
      message.from === "visitor" &&
      line.messageID === null &&
      line.after !== null &&
      line.after < message.messageID &&
      line.text.trim() === message.text.trim()
  )
  if (own !== undefined) return inOrder(settle(lines, own.key, message.messageID))
  return inOrder([...lines, { ...message, key: `message-${message.messageID}`, state: "sent", after: null }])
}

/** The messages of the other side that are not shown yet. */
export const newAnswers = (lines: Lines, messages: ReadonlyArray<ChatMessage>) =>
  messages.filter(({ from, messageID }) => from === "agent" && !lines.some((line) => line.messageID === messageID))

/** The hub has told everything that it knows: lines that are still lost never arrived. */
export const resume = (lines: Lines, messages: ReadonlyArray<ChatMessage>): Lines =>
  messages.reduce(receive, lines).map((line) => (line.state === "lost" ? { ...line, state: "failed" } : line))

/** The chat is over: lines that have not arrived never will. */
export const end = (lines: Lines): Lines =>
  lines.map((line) => (line.state === "sent" ? line : { ...line, state: "failed" }))

export const lastAnswer = (lines: Lines) => lines.findLast((line) => line.from === "agent")
