import { Schema } from "effect"
import { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { jobKind } from "../platform/queue/JobKind.ts"
import { ranks } from "../platform/queue/JobRank.ts"

const Message = Schema.Struct({
  ticketMessageID: TicketMessageID,
  /** Whether the ticket was made for this message. */
  opensTicket: Schema.Boolean
})

/** Processes a new message of an end user, step by step. */
export const runPipeline = jobKind({
  kind: "RunPipeline",
  payload: Message,
  rank: ranks.fresh,
  asksModels: true
})

const Run = Schema.Struct({
  reason: Schema.String,
  /** null means the actions of the message's topics. */
  hookName: Schema.NullOr(Schema.String),
  ticketID: TicketID,
  ticketMessageID: Schema.NullOr(TicketMessageID),
  parentRunID: Schema.NullOr(Schema.String)
})
export type RunRequest = typeof Run.Type

/** Runs the actions of a hook, or of a message's topics. */
export const runActions = jobKind<RunRequest, typeof Run.Encoded>({
  kind: "RunActions",
  payload: Run,
  asksModels: true
})
