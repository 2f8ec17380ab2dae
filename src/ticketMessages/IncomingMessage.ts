import type { ChannelID, CustomerRepID } from "../../schema/Ids.ts"
import type { TicketMessageCreate } from "../../schema/TicketMessageBodies.ts"
import { messageTexts } from "./MessageText.ts"
import type { StoredMessage } from "./TicketMessagesRepo.ts"

/** A message on its way into a ticket. */
export interface Incoming extends Omit<TicketMessageCreate, "customerRepID"> {
  /** The representative who wrote it, if one did. */
  readonly customerRepID?: CustomerRepID | null
  /** A phone call may write only to tickets of its own channel. */
  readonly boundToChannel?: ChannelID
  /** Automatic mail is kept, but triggers nothing. */
  readonly isAutomatic?: boolean
  /** The message that this one answers: it goes to that sender by the same channel, whoever has written since. */
  readonly answers?: Pick<StoredMessage, "channelID" | "fromAddress" | "uid"> | undefined
}

/** A message that arrives with the status "sent" has already been delivered another way. */
export const isToBeDelivered = ({ senderType, status }: Incoming) =>
  senderType === "CustomerRep" && status?.toLowerCase() !== "sent"

/** The sender, as far as the message identifies one. */
export const senderOf = (message: Incoming) => ({
  uid: message.uid ?? null,
  fromAddress: message.fromAddress ?? null,
  fromName: message.fromName ?? null,
  phone: null
})

/** A new message as it is stored, whichever ticket it goes to. */
export const messageOf = (incoming: Incoming, channelID: ChannelID) => {
  const { htmlBody, message, preview, textBody } = messageTexts(incoming, isToBeDelivered(incoming))
  return {
    message,
    textBody,
    htmlBody,
    preview,
    channelID,
    senderType: incoming.senderType ?? "EndUser",
    customerRepID: null,
    status: "Received" as const,
    subject: incoming.subject ?? null,
    fromAddress: incoming.fromAddress ?? null,
    fromName: incoming.fromName ?? null,
    toAddress: incoming.toAddress ?? null,
    uid: incoming.uid ?? null,
    pageURL: incoming.pageURL ?? null,
    pageScreenshot: incoming.pageScreenshot ?? null,
    messageDate: incoming.messageDate ?? null,
    isOpened: incoming.isOpened ?? false,
    isAutomatic: incoming.isAutomatic ?? false,
    answersMessageID: null,
    customFieldsData: incoming.customFieldsData ?? {}
  }
}
