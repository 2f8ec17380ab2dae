import { createHash } from "node:crypto"
import { DateTime } from "effect"
import { isAutomaticMail } from "./AutomaticMail.ts"
import type { GraphMessage, GraphRecipient } from "./GraphShapes.ts"
import { headerOf, messageIDsIn } from "./MailHeaders.ts"
import { isOwnMessageID, tokensInAddresses, tokensInMessageIDs } from "./ReplyAddress.ts"
import { isAnswer, type ThreadHints } from "./Threading.ts"

/** A mail as a ticket needs it. */
export interface ReadMail {
  readonly externalID: string
  readonly internetMessageID: string | null
  readonly contentHash: string
  readonly conversationID: string | null
  readonly participants: ReadonlyArray<string>
  readonly hints: ThreadHints
  readonly isAutomatic: boolean
  /** Written from the mailbox itself, and no question to it. */
  readonly isOurs: boolean
  readonly subject: string | undefined
  readonly fromAddress: string | undefined
  readonly fromName: string | undefined
  readonly toAddress: string | undefined
  readonly html: string | undefined
  readonly text: string | undefined
  readonly date: DateTime.Utc | undefined
  readonly mayHaveAttachments: boolean
}

/** Text that PostgreSQL can store, and no longer than the field. */
const clean = (text: string | null | undefined, longest = Number.POSITIVE_INFINITY) => {
  const cleaned = (text ?? "").replaceAll("\u0000", "").toWellFormed()
  const short = cleaned.length > longest ? cleaned.slice(0, longest).toWellFormed() : cleaned
  return short.trim() === "" ? undefined : short
}

const addressOf = (recipient: GraphRecipient | null) => clean(recipient?.emailAddress?.address, 320)?.trim()

const addressesOf = (recipients: ReadonlyArray<GraphRecipient>) =>
  recipients.flatMap((recipient) => addressOf(recipient) ?? [])

/** The same for the same mail, in whichever folder and under whichever id it lies. */
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

/** Enough of a list of recipients that a person sees who got it. */
const joined = (addresses: ReadonlyArray<string>) => {
  const list = addresses.join(", ")
  return list.length <= 10_000 ? list : list.slice(0, list.lastIndexOf(",", 10_000))
}

const isSame = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

const readAsWritten = (message: GraphMessage, mailbox: string): ReadMail => {
  const headers = message.internetMessageHeaders
  const fromAddress = addressOf(message.from) ?? addressOf(message.sender)
  const recipients = addressesOf(message.toRecipients)
  const writers = fromAddress === undefined ? [] : [fromAddress]
  const everybody = [...writers, ...recipients, ...addressesOf(message.ccRecipients)]
  const isMailbox = (address: string) => isSame(address, mailbox)
  const isOurs = fromAddress !== undefined && isMailbox(fromAddress)
  const inReplyTo = messageIDsIn(clean(headerOf(headers, "In-Reply-To")))
  const references = messageIDsIn(clean(headerOf(headers, "References")))
  const isHtml = message.body?.contentType?.toLowerCase() === "html"
  const content = clean(message.body?.content)
  return {
    externalID: message.id,
    internetMessageID: clean(message.internetMessageId, 998) ?? null,
    contentHash: hashOf(message),
    conversationID: message.conversationId,
    participants: [...new Set(everybody.map((address) => address.toLowerCase()))].filter(
      (address) => !isMailbox(address)
    ),
    hints: {
      inReplyTo,
      references,
      conversationID: message.conversationId,
      // Whoever works in the mailbox has part in all its conversations: there it is who it was written to that counts.
      senders: isOurs ? recipients.filter((address) => !isMailbox(address)) : writers,
      tokens: [...tokensInAddresses(everybody), ...tokensInMessageIDs([...inReplyTo, ...references])]
    },
    isAutomatic: isAutomaticMail(message),
    isOurs,
    subject: clean(message.subject, 1000),
    fromAddress,
    fromName: clean(message.from?.emailAddress?.name, 255),
    toAddress: clean(joined(recipients)),
    html: isHtml ? content : undefined,
    text: isHtml ? undefined : content,
    date: message.receivedDateTime ?? message.sentDateTime ?? undefined,
    // Pictures inside the text are not counted as attachments by the provider.
    mayHaveAttachments: message.hasAttachments === true || /\bcid:/i.test(content ?? "")
  }
}

/** What the service itself sent to the mailbox says what it answers, or has a Message-ID of the service. */
const isOwnMail = ({ hints, internetMessageID }: ReadMail) => isAnswer(hints) || isOwnMessageID(internetMessageID ?? "")

/** A mailing list has its own address replied to, whoever wrote. */
const isOfList = ({ internetMessageHeaders: headers }: GraphMessage) =>
  ["List-Id", "List-Post", "List-Unsubscribe"].some((name) => headerOf(headers, name) !== null)

/** Also with a tag, as in support+tag@acme.example. */
const isOfMailbox = (address: string, mailbox: string) =>
  isSame(address, mailbox) || isSame(address.replace(/\+[^@]*/, ""), mailbox)

/** The provider gives one without a name their address for it. */
const ownNameOf = (recipient: GraphRecipient) => {
  const name = clean(recipient.emailAddress?.name, 255)
  return name === undefined || isSame(name.trim(), addressOf(recipient) ?? "") ? undefined : name
}

/** Whoever is to be replied to instead of the one who wrote it; never the mailbox. */
const replyToOf = (message: GraphMessage, mail: ReadMail, mailbox: string) => {
  if (mail.isOurs || isOwnMessageID(mail.internetMessageID ?? "") || isOfList(message)) return undefined
  const others = message.replyTo.flatMap((recipient) => {
    const address = addressOf(recipient) ?? ""
    const isUsable = /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address) && !isOfMailbox(address, mailbox)
    return isUsable ? [{ address, name: ownNameOf(recipient) }] : []
  })
  return others.some(({ address }) => isSame(address, mail.fromAddress ?? "")) ? undefined : others[0]
}

/** A mail that is from whoever is to be replied to. Its writer has part in it still. */
const readForReplyTo = (message: GraphMessage, mailbox: string): ReadMail => {
  const mail = readAsWritten(message, mailbox)
  const replyTo = replyToOf(message, mail, mailbox)
  if (replyTo === undefined) return mail
  const { hints, participants } = mail
  return {
    ...mail,
    fromAddress: replyTo.address,
    // The name of the web page, or of whoever sent it, is not theirs.
    fromName: replyTo.name,
    participants: [...new Set([replyTo.address.toLowerCase(), ...participants])],
    // Anybody may name anybody to be replied to: that alone leads into nobody's conversation.
    hints: { ...hints, senders: hints.senders.length === 0 ? [] : [...hints.senders, replyTo.address] }
  }
}

/**
 * A mail as a ticket needs it. A form on a web page writes in its own name, or in the mailbox's name and to it: that is
 * the question of whoever is to be replied to.
 */
export const readMail = (message: GraphMessage, mailbox: string): ReadMail => {
  const mail = readForReplyTo(message, mailbox)
  const isToItself = mail.isOurs && addressesOf(message.toRecipients).some((address) => isSame(address, mailbox))
  if (!isToItself || isOwnMail(mail)) return mail
  const replyTo = message.replyTo.find((recipient) => addressOf(recipient) !== undefined)
  const read = readAsWritten({ ...message, from: replyTo ?? message.from }, mailbox)
  const fromName = replyTo === undefined ? read.fromName : ownNameOf(replyTo)
  return { ...read, fromName, contentHash: mail.contentHash, isOurs: false }
}
