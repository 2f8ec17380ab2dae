import type { TicketID } from "../../schema/Ids.ts"

/** What a mail says about the conversation that it belongs to. */
export interface ThreadHints {
  readonly inReplyTo: ReadonlyArray<string>
  /** Oldest first, as they stand in the header. */
  readonly references: ReadonlyArray<string>
  readonly conversationID: string | null
  /**
   * Who it says that it is from: whoever wrote it, and whoever is to be replied to instead. Of what was written in the
   * mailbox itself, who it went to.
   */
  readonly senders: ReadonlyArray<string>
  /** Ticket tokens in the addresses that it was sent to. */
  readonly tokens: ReadonlyArray<string>
}

/** Whether it says itself that it belongs to something that was written before. */
export const isAnswer = ({ inReplyTo, references, tokens }: ThreadHints) =>
  inReplyTo.length + references.length + tokens.length > 0

/** A mail that is in a ticket already. */
export interface KnownMail {
  /** A later mail has a higher one. */
  readonly number: number
  readonly internetMessageID: string | null
  readonly conversationID: string | null
  readonly participants: ReadonlyArray<string>
  readonly ticketID: TicketID
}

export interface TokenOfTicket {
  readonly token: string
  readonly ticketID: TicketID
}

const newestOf = (mails: ReadonlyArray<KnownMail>) =>
  mails.reduce<KnownMail | undefined>(
    (newest, mail) => (newest === undefined || mail.number > newest.number ? mail : newest),
    undefined
  )?.ticketID

const sameText = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

/**
 * The ticket that a mail belongs to: that of the mail it answers, else of the newest one it refers to, else of its
 * conversation when all its senders have taken part in it, else the one whose token stands in an address. Never by its
 * subject.
 */
export const threadOf = (
  hints: ThreadHints,
  known: ReadonlyArray<KnownMail>,
  tokens: ReadonlyArray<TokenOfTicket>
): TicketID | undefined => {
  const withMessageID = (messageID: string) =>
    newestOf(known.filter(({ internetMessageID }) => internetMessageID === messageID))
  for (const messageID of [...hints.inReplyTo, ...hints.references.toReversed()]) {
    const ticketID = withMessageID(messageID)
    if (ticketID !== undefined) return ticketID
  }
  const { conversationID, senders } = hints
  const ofConversation = known.filter(
    (mail) =>
      conversationID !== null &&
      senders.length > 0 &&
      mail.conversationID === conversationID &&
      senders.every((sender) => mail.participants.some((address) => sameText(address, sender)))
  )
  return (
    newestOf(ofConversation) ??
    hints.tokens.flatMap((wanted) => tokens.filter(({ token }) => sameText(token, wanted)))[0]?.ticketID
  )
}
