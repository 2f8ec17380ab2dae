import { Effect, Layer } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { TicketMessageID } from "../../schema/Ids.ts"
import type { TicketMessageCreate } from "../../schema/TicketMessageBodies.ts"
import { AiServices } from "../../src/ai/AiServices.ts"
import { DataRetrieval } from "../../src/documents/DataRetrieval.ts"
import { PlaceholderValues } from "../../src/documents/PlaceholderValues.ts"
import { DraftReplies } from "../../src/ticketMessages/DraftReplies.ts"
import { MessageAccess } from "../../src/ticketMessages/MessageAccess.ts"
import { PromptDocuments } from "../../src/ticketMessages/PromptDocuments.ts"
import { clientOf } from "../support/TestApp.ts"
import { channelOfType } from "./Messages.ts"

/** The services that prepare drafts, on top of a running app. */
export const DraftTools = DraftReplies.layer.pipe(
  Layer.provide(PromptDocuments.layer),
  Layer.provide(DataRetrieval.layer),
  Layer.provide(PlaceholderValues.layer),
  Layer.provide(MessageAccess.layer),
  Layer.provideMerge(AiServices)
)

/** Posts an end user's message through the API. */
export const postMessage = (
  username: string,
  message: Partial<TicketMessageCreate>,
  channelType: ChannelType = "Email"
) =>
  Effect.gen(function* () {
    const { ticketMessagesOnPhone } = yield* clientOf(username)
    const channelID = yield* channelOfType(username, channelType)
    return yield* ticketMessagesOnPhone.createTicketMessage({
      payload: { channelID, uid: "someone@example.com", fromAddress: "someone@example.com", ...message }
    })
  })

export const readMessage = (username: string, id: TicketMessageID) =>
  Effect.flatMap(clientOf(username), ({ ticketMessagesOnPhone }) =>
    ticketMessagesOnPhone.getTicketMessage({ path: { id } })
  )

export const detect = (
  username: string,
  id: TicketMessageID,
  urlParams: { modelName?: string; executeActions?: boolean } = {}
) =>
  Effect.flatMap(clientOf(username), ({ ticketMessagesOnPhone }) =>
    ticketMessagesOnPhone.detectTopics({ path: { id }, urlParams })
  )

export const topicsOf = (username: string, id: TicketMessageID) =>
  Effect.map(readMessage(username, id), ({ topics }) => topics.map(({ topicName }) => topicName))
