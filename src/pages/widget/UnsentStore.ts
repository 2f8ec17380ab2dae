import { inStorage } from "../dom/InStorage.ts"
import { isRecord } from "../hub/Protocol.ts"
import type { Line } from "./Conversation.ts"

/** A message that was being sent when the page closed may have arrived. */
const stateAfter = (state: unknown) => {
  if (state === "sending" || state === "lost") return "lost"
  return state === "queued" || state === "failed" ? state : undefined
}

const readLine = (value: unknown): ReadonlyArray<Line> => {
  const { after, at, key, state, text } = isRecord(value) ? value : {}
  const next = stateAfter(state)
  if (typeof key !== "string" || typeof text !== "string" || typeof at !== "number" || next === undefined) return []
  const sentAfter = typeof after === "number" ? after : null
  return [{ key, from: "visitor", text, name: null, at, messageID: null, state: next, after: sentAfter }]
}

const readLines = (stored: string): ReadonlyArray<Line> => {
  const lines: unknown = JSON.parse(stored)
  return Array.isArray(lines) ? lines.flatMap(readLine) : []
}

/**
 * What the visitor has written and what, as far as is known, has not arrived. It survives a reload and moving to
 * another page of the web site, in this tab only: two tabs would send it twice.
 */
export const makeUnsentStore = (channelToken: string) => {
  const linesKey = `casework-chat-unsent:${channelToken}`
  const draftKey = `casework-chat-draft:${channelToken}`
  const put = (key: string, text: string) =>
    inStorage("sessionStorage", (storage) => (text === "" ? storage.removeItem(key) : storage.setItem(key, text)))
  return {
    /** Undefined where storage is unavailable. */
    get lines() {
      return inStorage("sessionStorage", (storage) => readLines(storage.getItem(linesKey) ?? "[]"))
    },
    keep: (lines: ReadonlyArray<Line>) => {
      const unsent = lines.filter(({ state }) => state !== "sent")
      put(linesKey, unsent.length === 0 ? "" : JSON.stringify(unsent))
    },
    get draft() {
      return inStorage("sessionStorage", (storage) => storage.getItem(draftKey) ?? "")
    },
    keepDraft: (text: string) => {
      put(draftKey, text)
    }
  }
}

export type UnsentStore = ReturnType<typeof makeUnsentStore>
