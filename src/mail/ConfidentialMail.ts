import { randomUUID } from "node:crypto"
import { confidential } from "../platform/systemMail/Mailer.ts"
import type { GraphMessage } from "./GraphShapes.ts"
import { headerOf } from "./MailHeaders.ts"

/** The Message-ID of a mail from the service itself. One that is confidential says so. */
export const systemMessageID = (host: string, isConfidential: boolean) =>
  `<casework-${isConfidential ? "confidential-" : ""}${randomUUID()}@${host}>`

const isConfidentialMessageID = (messageID: string | null) => /^<casework-confidential-[^>]+>$/i.test(messageID ?? "")

/**
 * Whether a mail from the service itself is only for the person whom it was sent to, and must not become a ticket. Some
 * mail servers put a Message-ID of their own in place of ours; they leave other headers alone.
 */
export const isConfidentialMail = ({ internetMessageHeaders: headers, internetMessageId }: GraphMessage) =>
  headerOf(headers, confidential.name) !== null ||
  isConfidentialMessageID(internetMessageId) ||
  isConfidentialMessageID(headerOf(headers, "X-Microsoft-Original-Message-ID"))

// As people see it, within another link, and in the source of a mail, which breaks long lines and encodes "=".
const resetLink =
  /(reset-password(?:=\r?\n)?(?:\?|%(?:25)?3F)(?:=\r?\n)?token(?:=(?:3D)?|%(?:25)?3D))(?:=\r?\n)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Without the tokens of reset links: a reply to such a mail, or a report that it was not delivered, may quote it. */
export const withoutResetTokens = (text: string) => text.replaceAll(resetLink, "$1…")
