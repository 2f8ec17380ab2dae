import { isDeepStrictEqual } from "node:util"
import type { CustomerRepID } from "../../schema/Ids.ts"
import type { TicketBulk, TicketUpdate } from "../../schema/Tickets.ts"
import type { TicketCommand } from "./TicketState.ts"
import type { LockedTicket, TicketFields } from "./TicketsRepo.ts"

/** A ticket update as commands: spam first, so that one update can clear it and escalate. */
export const commandsOf = ({ customerRepID, isClosed, isSpam, status }: TicketUpdate): ReadonlyArray<TicketCommand> => [
  ...(isSpam === undefined ? [] : [{ _tag: isSpam ? "MarkSpam" : "MarkNotSpam" } as const]),
  ...(status === undefined ? [] : [{ _tag: "SetStatus", status } as const]),
  ...(isClosed === undefined || status !== undefined ? [] : [{ _tag: isClosed ? "Close" : "Reopen" } as const]),
  ...(customerRepID === undefined ? [] : [{ _tag: "Assign", customerRepID } as const])
]

/** The changed fields that no rule governs, or undefined when none of them changes. */
export const plainChanges = (
  ticket: LockedTicket,
  { channelID, customFieldsData, endUserID, language, subject }: TicketUpdate
): TicketFields | undefined => {
  const fields = {
    ...(channelID !== undefined && channelID !== ticket.channelID && { channelID }),
    ...(endUserID !== undefined && endUserID !== ticket.endUserID && { endUserID }),
    ...(subject !== undefined && subject !== ticket.subject && { subject }),
    ...(language !== undefined && language !== ticket.language && { language }),
    ...(customFieldsData !== undefined &&
      !isDeepStrictEqual(customFieldsData ?? {}, ticket.customFieldsData) && { customFieldsData })
  }
  return Object.keys(fields).length === 0 ? undefined : fields
}

export const bulkCommand = (
  action: Exclude<TicketBulk["action"], "delete">,
  customerRepID: CustomerRepID | null
): TicketCommand => {
  switch (action) {
    case "close":
      return { _tag: "Close" }
    case "reopen":
      return { _tag: "Reopen" }
    case "assign":
      return { _tag: "Assign", customerRepID }
    case "escalate":
      return { _tag: "Escalate" }
    case "spam":
      return { _tag: "MarkSpam" }
    case "notSpam":
      return { _tag: "MarkNotSpam" }
  }
}
