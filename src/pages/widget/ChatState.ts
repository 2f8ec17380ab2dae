import type { Ending, HubState } from "../hub/HubClient.ts"

/**
 * full: the hub has no room at the moment. Final states: switchedOff; forbidden, when the web site may not have the
 * chat; cutOff, when the hub ended it for another reason, so that it can be started again.
 */
export type ChatState = HubState | "full" | "switchedOff" | "forbidden" | "cutOff"

export const stateAfter = (ending: Ending): ChatState => {
  if ("words" in ending) return /switched off/i.test(ending.words) ? "switchedOff" : "cutOff"
  return ending.status === 403 ? "forbidden" : "switchedOff"
}

export const isOver = (state: ChatState) => state === "switchedOff" || state === "forbidden" || state === "cutOff"
