import { Context, Effect, Layer, Schedule } from "effect"
import type { ChannelID } from "../../schema/Ids.ts"
import { ChatsRepo } from "./ChatsRepo.ts"
import { HubClients } from "./HubClients.ts"

export const switchedOff = "This chat has been switched off."

const everySoOften = Schedule.spaced("3 seconds")

/** Knows which chats with visitors on this node have been switched off or deleted, without a query for each visitor. */
export class OpenChats extends Context.Tag("casework/OpenChats")<
  OpenChats,
  {
    readonly isOpen: (channelID: ChannelID) => boolean
    /** Notes that a visitor was just admitted: whatever was known of the channel before, it is open now. */
    readonly entered: (channelID: ChannelID) => void
  }
>() {
  static readonly layer = Layer.scoped(
    OpenChats,
    Effect.gen(function* () {
      const chats = yield* ChatsRepo
      const clients = yield* HubClients
      let closed: Set<ChannelID> = new Set()

      const look = Effect.gen(function* () {
        const visited = clients.visited()
        if (visited.size === 0) return
        const open = new Set(yield* chats.openAmong([...visited]))
        closed = new Set([...visited].filter((channelID) => !open.has(channelID)))
      })

      yield* look.pipe(
        Effect.catchAllCause((cause) => Effect.logWarning("could not check for chats that were switched off", cause)),
        Effect.schedule(everySoOften),
        Effect.forkScoped
      )
      return {
        isOpen: (channelID) => !closed.has(channelID),
        entered: (channelID) => void closed.delete(channelID)
      }
    })
  )
}
