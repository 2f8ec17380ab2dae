import { Option, Schema } from "effect"
import { Typing } from "../../../schema/Hub.ts"
import type { TicketID } from "../../../schema/Ids.ts"
import { TicketMessage } from "../../../schema/TicketMessages.ts"
import { Ticket } from "../../../schema/Tickets.ts"
import { HubClient, type HubState } from "../hub/HubClient.ts"

interface LiveHandlers {
  readonly onState: (state: HubState) => void
  readonly onMessage: (message: TicketMessage) => void
  readonly onTicket: (ticket: Ticket) => void
  readonly onTyping: (typing: Typing) => void
}

const decodeMessage = Schema.decodeUnknownOption(TicketMessage)
const decodeTicket = Schema.decodeUnknownOption(Ticket)
const decodeTyping = Schema.decodeUnknownOption(Typing)

/** Reports events as they happen. */
export const makeLive = (token: string, handlers: LiveHandlers) => {
  const address = new URL("/chatHub", location.href)
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:"
  address.search = new URLSearchParams({ access_token: token }).toString()
  const hub = new HubClient({
    address: () => address.href,
    onState: handlers.onState,
    onEvent: (target, [value]) => {
      switch (target) {
        case "MessageReceived":
        case "DraftReady":
          return Option.map(decodeMessage(value), handlers.onMessage)
        case "TicketUpdated":
          return Option.map(decodeTicket(value), handlers.onTicket)
        case "Typing":
          return Option.map(decodeTyping(value), handlers.onTyping)
        default:
          return undefined
      }
    }
  })
  let joined: TicketID | undefined
  let typedAt = 0
  // A lost call does no harm: the hub is for speed, everything that counts goes through the API.
  const tell = (method: string, ticketID: TicketID) => hub.invoke(method, ticketID).catch(() => undefined)
  return {
    start: () => hub.start(),
    stop: () => hub.stop(),
    join: (ticketID: TicketID) => {
      if (joined === ticketID || hub.state !== "connected") return
      joined = ticketID
      void tell("JoinTicket", ticketID)
    },
    leave: () => {
      if (joined !== undefined) void tell("LeaveTicket", joined)
      joined = undefined
    },
    /** After a broken connection the hub no longer knows which ticket was joined. */
    joinAgain: () => {
      if (joined !== undefined) void tell("JoinTicket", joined)
    },
    typing: (ticketID: TicketID) => {
      if (Date.now() - typedAt < 2500) return
      typedAt = Date.now()
      void tell("Typing", ticketID)
    }
  }
}

export type Live = ReturnType<typeof makeLive>
