import { Context, Effect, Layer, Option } from "effect"
import type { Caller } from "../../schema/Authentication.ts"
import { Forbidden, NotFound } from "../../schema/Errors.ts"
import type { ChannelID, TicketMessageID } from "../../schema/Ids.ts"
import { TicketMessagesRepo } from "./TicketMessagesRepo.ts"

/** The channel that a caller is bound to; a representative is not bound to any. */
export const channelOf = (caller: Caller): Option.Option<ChannelID> =>
  caller._tag === "PhoneCall" ? Option.some(caller.channelID) : Option.none()

/** Says why the caller cannot see a message: 403 when it belongs to someone else, 404 when it does not exist. */
export class MessageAccess extends Context.Tag("casework/MessageAccess")<
  MessageAccess,
  {
    readonly orRefuse: (
      ticketMessageID: TicketMessageID
    ) => <A, R>(found: Effect.Effect<Option.Option<A>, never, R>) => Effect.Effect<A, NotFound | Forbidden, R>
  }
>() {
  static readonly layer = Layer.effect(
    MessageAccess,
    Effect.gen(function* () {
      const repo = yield* TicketMessagesRepo
      const refuse = (ticketMessageID: TicketMessageID) =>
        Effect.flatMap(
          repo.exists(ticketMessageID),
          (exists): Effect.Effect<never, NotFound | Forbidden> =>
            exists
              ? Forbidden.of(`You have no access to ticket message ${ticketMessageID}.`)
              : NotFound.of(`There is no ticket message ${ticketMessageID}.`)
        )
      return {
        orRefuse: (ticketMessageID) =>
          Effect.flatMap(Option.match({ onNone: () => refuse(ticketMessageID), onSome: Effect.succeed }))
      }
    })
  )
}
