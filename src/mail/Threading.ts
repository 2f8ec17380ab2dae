import { DateTime, Order } from "effect"
import type { TicketID } from "../../schema/Ids.ts"

/** What a mail says about the conversation it belongs to. */
export interface ThreadHints {
  readonly inReplyTo: ReadonlyArray<string>
  /** Oldest first, as in the header. */
  readonly references: ReadonlyArray<string>
  readonly conversationID: string | null
  /**
   * The people the mail claims to be from: its writer, and its Reply-To address if that differs. For a mail from the
   * mailbox itself, its recipients.
   */
  readonly senders: ReadonlyArray<string>
  /** Ticket tokens in its recipient addresses and in the Message-IDs it answers. */
  readonly tokens: ReadonlyArray<string>
}

/** Whether the mail itself says that it answers an earlier one. */
export const isAnswer = ({ inReplyTo, references, tokens }: ThreadHints) =>
  inReplyTo.length + references.length + tokens.length > 0

/** A mail that already belongs to a ticket. */
export interface KnownMail {
  /** Higher for a later mail. */
  readonly number: number
  readonly internetMessageID: string | null
  readonly conversationID: string | null
  readonly participants: ReadonlyArray<string>
  /** Written by the team. */
  readonly isOurs: boolean
  readonly date: DateTime.Utc
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

/** A stranger may copy a Message-ID into a later mail: it belongs to the team's mail, or else to the oldest. */
const byRight = Order.combineAll([
  Order.mapInput(Order.reverse(Order.boolean), ({ isOurs }: KnownMail) => isOurs),
  Order.mapInput(DateTime.Order, ({ date }: KnownMail) => date),
  Order.mapInput(Order.number, ({ number }: KnownMail) => number)
])

/** The mail to which each Message-ID belongs. */
const byMessageID = (known: ReadonlyArray<KnownMail>): ReadonlyMap<string, KnownMail> => {
  const owners = new Map<string, KnownMail>()
  for (const mail of known) {
    const { internetMessageID: id } = mail
    const owner = id === null ? undefined : owners.get(id)
    if (id !== null && (owner === undefined || byRight(mail, owner) < 0)) owners.set(id, mail)
  }
  return owners
}

const lowerCased = (texts: ReadonlyArray<string>) => new Set(texts.map((text) => text.toLowerCase()))

/**
 * The ticket that a mail belongs to: that of the mail it answers, else of the newest mail it references, else of its
 * conversation if all its senders have taken part in it, else the one of a ticket token. Never by subject.
 */
export const threadOf = (
  hints: ThreadHints,
  known: ReadonlyArray<KnownMail>,
  tokens: ReadonlyArray<TokenOfTicket>
): TicketID | undefined => {
  const owners = byMessageID(known)
  for (const messageID of [...hints.inReplyTo, ...hints.references.toReversed()]) {
    const owner = owners.get(messageID)
    if (owner !== undefined) return owner.ticketID
  }
  const { conversationID } = hints
  const senders = [...lowerCased(hints.senders)]
  const haveTakenPart = ({ participants }: KnownMail) => {
    const all = lowerCased(participants)
    return senders.every((sender) => all.has(sender))
  }
  const ofConversation = known.filter(
    (mail) =>
      conversationID !== null && senders.length > 0 && mail.conversationID === conversationID && haveTakenPart(mail)
  )
  const ofToken = new Map(tokens.map(({ ticketID, token }) => [token.toLowerCase(), ticketID]))
  return newestOf(ofConversation) ?? hints.tokens.flatMap((wanted) => ofToken.get(wanted.toLowerCase()) ?? [])[0]
}
