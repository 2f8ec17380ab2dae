import { createHash } from "node:crypto"
import { DateTime } from "effect"
import { isOfMailbox, isPlainAddress, isSameAddress } from "../platform/text/MailAddress.ts"
import { isAutomaticMail } from "./AutomaticMail.ts"
import { withoutResetTokens } from "./ConfidentialMail.ts"
import { isForged } from "./ForgedSender.ts"
import type { GraphMessage, GraphRecipient } from "./GraphShapes.ts"
import { answeredIn, headerOf, referencesIn } from "./MailHeaders.ts"
import { isOwnMessageID, tokensInAddresses, tokensInMessageIDs } from "./ReplyAddress.ts"
import { isAnswer, type ThreadHints } from "./Threading.ts"

/** A mail as a ticket needs it. */
export interface ReadMail {
  readonly externalID: string
  readonly internetMessageID: string | null
  readonly contentHash: string
  /** The same with the From that it had: its copies may have been stored as real mail. */
  readonly hashAsWritten: string
  readonly conversationID: string | null
  readonly participants: ReadonlyArray<string>
  readonly hints: ThreadHints
  readonly isAutomatic: boolean
  /** Sent from the mailbox itself, and not a question to it. */
  readonly isOurs: boolean
  /** Its From is the mailbox, whoever wrote that. */
  readonly isFromMailbox: boolean
  readonly subject: string | undefined
  readonly fromAddress: string | undefined
  readonly fromName: string | undefined
  readonly toAddress: string | undefined
  readonly html: string | undefined
  readonly text: string | undefined
  readonly date: DateTime.Utc | undefined
  readonly mayHaveAttachments: boolean
}

/** Text that PostgreSQL can store, cut to the field's length; undefined if blank. */
const clean = (text: string | null | undefined, longest = Number.POSITIVE_INFINITY) => {
  const cleaned = (text ?? "").replaceAll("\u0000", "").toWellFormed()
  const short = cleaned.length > longest ? cleaned.slice(0, longest).toWellFormed() : cleaned
  return short.trim() === "" ? undefined : short
}

const addressOf = (recipient: GraphRecipient | null) => clean(recipient?.emailAddress?.address, 320)?.trim()

const writerOf = ({ from, sender }: GraphMessage) => addressOf(from) ?? addressOf(sender)

const addressesOf = (recipients: ReadonlyArray<GraphRecipient>) =>
  recipients.flatMap((recipient) => addressOf(recipient) ?? [])

/** A hash that is equal for the same mail in any folder and under any id. */
const hashOf = (message: GraphMessage) =>
  createHash("sha256")
    .update(
      JSON.stringify([
        message.subject,
        addressOf(message.from),
        message.sentDateTime === null ? null : DateTime.formatIso(message.sentDateTime),
        message.body?.content ?? null
      ])
    )
    .digest("base64url")

/** The recipients as text, cut to a length that still shows who got the mail. */
const joined = (addresses: ReadonlyArray<string>) => {
  const list = addresses.join(", ")
  return list.length <= 10_000 ? list : list.slice(0, list.lastIndexOf(",", 10_000))
}

const readAsWritten = (message: GraphMessage, mailbox: string): ReadMail => {
  const headers = message.internetMessageHeaders
  const fromAddress = writerOf(message)
  const recipients = addressesOf(message.toRecipients)
  const writers = fromAddress === undefined ? [] : [fromAddress]
  const everybody = [...writers, ...recipients, ...addressesOf(message.ccRecipients)]
  const isMailbox = (address: string) => isSameAddress(address, mailbox)
  const isOurs = fromAddress !== undefined && isMailbox(fromAddress)
  const inReplyTo = answeredIn(clean(headerOf(headers, "In-Reply-To")))
  const references = referencesIn(clean(headerOf(headers, "References")))
  const isHtml = message.body?.contentType?.toLowerCase() === "html"
  const content = clean(withoutResetTokens(message.body?.content ?? ""))
  const contentHash = hashOf(message)
  return {
    externalID: message.id,
    internetMessageID: clean(message.internetMessageId, 998) ?? null,
    contentHash,
    hashAsWritten: contentHash,
    conversationID: message.conversationId,
    participants: [...new Set(everybody.map((address) => address.toLowerCase()))].filter(
      (address) => !isMailbox(address)
    ),
    hints: {
      inReplyTo,
      references,
      conversationID: message.conversationId,
      // The mailbox takes part in all its conversations, so for a mail from it the recipients are what counts.
      senders: isOurs ? recipients.filter((address) => !isMailbox(address)) : writers,
      tokens: [...new Set([...tokensInAddresses(everybody), ...tokensInMessageIDs([...inReplyTo, ...references])])]
    },
    isAutomatic: isAutomaticMail(message),
    isOurs,
    isFromMailbox: isOurs,
    subject: clean(message.subject, 1000),
    fromAddress,
    fromName: clean(message.from?.emailAddress?.name, 255),
    toAddress: clean(joined(recipients)),
    html: isHtml ? content : undefined,
    text: isHtml ? undefined : content,
    date: message.receivedDateTime ?? message.sentDateTime ?? undefined,
    // The provider does not count pictures inside the text as attachments.
    mayHaveAttachments: message.hasAttachments === true || /\bcid:/i.test(content ?? "")
  }
}

/** A mail that the service itself sent to the mailbox says what it answers, or has a Message-ID of the service. */
const isOwnMail = ({ hints, internetMessageID }: ReadMail) => isAnswer(hints) || isOwnMessageID(internetMessageID ?? "")

/** A mailing list sets its own address as Reply-To, whoever wrote. */
const isOfList = ({ internetMessageHeaders: headers }: GraphMessage) =>
  ["List-Id", "List-Post", "List-Unsubscribe"].some((name) => headerOf(headers, name) !== null)

/** The recipient's name; the provider uses the address as the name of a recipient without one. */
const ownNameOf = (recipient: GraphRecipient) => {
  const name = clean(recipient.emailAddress?.name, 255)
  return name === undefined || isSameAddress(name.trim(), addressOf(recipient) ?? "") ? undefined : name
}

/** The address to reply to instead of the sender; never the mailbox itself. */
const replyToOf = (message: GraphMessage, mail: ReadMail, mailbox: string) => {
  if (mail.isOurs || isOwnMessageID(mail.internetMessageID ?? "") || isOfList(message)) return undefined
  const others = message.replyTo.flatMap((recipient) => {
    const address = addressOf(recipient) ?? ""
    const isUsable = isPlainAddress(address) && !isOfMailbox(address, mailbox)
    return isUsable ? [{ address, name: ownNameOf(recipient) }] : []
  })
  return others.some(({ address }) => isSameAddress(address, mail.fromAddress ?? "")) ? undefined : others[0]
}

/** Reads the mail as sent from its Reply-To address. The actual sender remains a participant. */
const readForReplyTo = (message: GraphMessage, mailbox: string): ReadMail => {
  const mail = readAsWritten(message, mailbox)
  const replyTo = replyToOf(message, mail, mailbox)
  if (replyTo === undefined) return mail
  const { hints, participants } = mail
  return {
    ...mail,
    fromAddress: replyTo.address,
    // The From name is that of the web page or the actual sender, not of the person at the Reply-To address.
    fromName: replyTo.name,
    participants: [...new Set([replyTo.address.toLowerCase(), ...participants])],
    // Anybody may set any Reply-To: that alone must not lead into somebody's conversation.
    hints: { ...hints, senders: hints.senders.length === 0 ? [] : [...hints.senders, replyTo.address] }
  }
}

/**
 * Anybody may write the mailbox's address as From: such a mail is from its Reply-To address, or else from nobody. It is
 * a copy of any mail that is written the same, but the hash that is stored is another: who gets an answer of the team
 * could otherwise send it back before its folder is read, and it would count as known.
 */
const readForged = (message: GraphMessage, mailbox: string): ReadMail => ({
  ...readForReplyTo({ ...message, from: null, sender: null }, mailbox),
  hashAsWritten: hashOf(message),
  isFromMailbox: true
})

/**
 * Reads a mail as a ticket needs it. A web form sends in its own name, or from the mailbox to itself: such a mail is a
 * question from its Reply-To address.
 */
export const readMail = (message: GraphMessage, mailbox: string): ReadMail => {
  if (isSameAddress(writerOf(message) ?? "", mailbox) && isForged(message, mailbox)) return readForged(message, mailbox)
  const mail = readForReplyTo(message, mailbox)
  const isToItself = mail.isOurs && addressesOf(message.toRecipients).some((address) => isSameAddress(address, mailbox))
  if (!isToItself || isOwnMail(mail)) return mail
  const replyTo = message.replyTo.find((recipient) => addressOf(recipient) !== undefined)
  const read = readAsWritten({ ...message, from: replyTo ?? message.from }, mailbox)
  const fromName = replyTo === undefined ? read.fromName : ownNameOf(replyTo)
  const { contentHash, hashAsWritten } = mail
  return { ...read, fromName, contentHash, hashAsWritten, isOurs: false }
}
