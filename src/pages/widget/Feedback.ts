import { isRecord } from "../hub/Protocol.ts"

export interface Feedback {
  readonly agentAvailable: boolean
  readonly customerRepName: string
}

export const readFeedback = (answer: unknown): Feedback => {
  const { agentAvailable, customerRepName } = isRecord(answer) ? answer : {}
  return {
    agentAvailable: agentAvailable === true,
    customerRepName: typeof customerRepName === "string" ? customerRepName : ""
  }
}
