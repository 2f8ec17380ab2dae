import { Context, Data, type Effect, type Option, type Redacted, type Stream } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import type { AnswerFile } from "../sending/AnswerFiles.ts"
import type { GraphAttachment, GraphFolder, GraphMessage, GraphSubscription } from "./GraphShapes.ts"

/** How the service authenticates to the mail provider. */
export interface MailCredentials {
  readonly tenantID: string
  readonly clientID: string
  readonly clientSecret: Redacted.Redacted
  readonly authorityURL: string
  readonly scope: string
}

export interface Mailbox {
  /** Whose channel it is. Several customers may name the same mailbox, rightly or not. */
  readonly customerID: CustomerID
  readonly address: string
  readonly credentials: MailCredentials
}

/**
 * Why the provider did not do something. Missing: it does not exist. Exists: it exists already. Expired: the sync link
 * is forgotten. Refused: permanently. Blocked: the address may not be called. Unavailable: try again later.
 */
export class MailProblem extends Data.TaggedError("MailProblem")<{
  readonly reason: "Missing" | "Exists" | "Expired" | "Refused" | "Blocked" | "Unavailable"
  readonly message: string
  /** How long the provider asked to wait. */
  readonly retryAfterSeconds?: number
  /** The request certainly had no effect: the provider was not reached or did not begin. */
  readonly isUndone?: boolean
}> {}

/**
 * Whether the mail does not exist. A channel may have got another mailbox, whose provider rejects the ids of the old
 * one.
 */
export const isUnknown = ({ message, reason }: MailProblem) =>
  reason === "Missing" || /\bErrorInvalid(?:MailboxItemId|IdMalformed)\b/.test(message)

/** A page of a folder's changes, and the link to continue from, in this round or in the next one. */
export interface DeltaPage {
  readonly messageIDs: ReadonlyArray<string>
  readonly next: { readonly link: string; readonly isLast: boolean }
}

export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly internetMessageID: string
  /** Sent by an automation, not by a person. */
  readonly isAutomatic: boolean
}

/** A mail from the service itself, not from the people who work with the mailbox. */
export interface SystemMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string | undefined
  readonly internetMessageID: string
  readonly isAutomatic: boolean
  readonly isConfidential: boolean
}

type Answer<A> = Effect.Effect<A, MailProblem>

/** Everything the service needs from a mail provider. Ids are immutable, even when a mail is moved. */
export class MailGraph extends Context.Tag("casework/MailGraph")<
  MailGraph,
  {
    /** By id or by a well-known name such as inbox. */
    readonly folder: (mailbox: Mailbox, folderID: string) => Answer<GraphFolder>
    readonly findFolder: (
      mailbox: Mailbox,
      name: string,
      parentFolderID: string | null
    ) => Answer<Option.Option<GraphFolder>>
    /** The new mails of a folder, from a link on, else from a moment on, else all. */
    readonly delta: (
      mailbox: Mailbox,
      folderID: string,
      from: { readonly link: string | null; readonly since: Date | null }
    ) => Answer<DeltaPage>
    readonly message: (mailbox: Mailbox, messageID: string) => Answer<GraphMessage>
    /** The raw source, as it was transferred. */
    readonly source: (mailbox: Mailbox, messageID: string) => Stream.Stream<Uint8Array, MailProblem>
    readonly attachments: (mailbox: Mailbox, messageID: string) => Answer<ReadonlyArray<GraphAttachment>>
    readonly attachmentContent: (
      mailbox: Mailbox,
      messageID: string,
      attachmentID: string
    ) => Stream.Stream<Uint8Array, MailProblem>
    readonly findByInternetMessageID: (
      mailbox: Mailbox,
      internetMessageID: string
    ) => Answer<Option.Option<{ readonly id: string; readonly isDraft: boolean }>>
    /** Creates a draft that replies to a message; returns its id. */
    readonly createReply: (mailbox: Mailbox, messageID: string, mail: OutgoingMail) => Answer<string>
    readonly createDraft: (mailbox: Mailbox, mail: OutgoingMail) => Answer<string>
    readonly attach: (mailbox: Mailbox, draftID: string, file: AnswerFile) => Answer<void>
    /** Removes a draft that still is one: a sent mail stays, whoever sent it. Succeeds if the draft is already gone. */
    readonly removeDraft: (mailbox: Mailbox, draftID: string) => Answer<void>
    /** Never retried automatically: if it breaks off, nobody knows whether the mail has left. */
    readonly send: (mailbox: Mailbox, draftID: string) => Answer<void>
    /** Sends without keeping a copy: not everybody who reads the mailbox may read this. Never retried automatically. */
    readonly sendUnkept: (mailbox: Mailbox, mail: SystemMessage) => Answer<void>
    readonly subscribe: (
      mailbox: Mailbox,
      subscription: {
        readonly folderID: string
        readonly notificationUrl: string
        readonly clientState: string
        readonly expires: Date
      }
    ) => Answer<GraphSubscription>
    readonly subscriptions: (mailbox: Mailbox) => Answer<ReadonlyArray<GraphSubscription>>
    readonly renew: (mailbox: Mailbox, subscriptionID: string, expires: Date) => Answer<GraphSubscription>
    readonly reauthorize: (mailbox: Mailbox, subscriptionID: string) => Answer<void>
    readonly unsubscribe: (mailbox: Mailbox, subscriptionID: string) => Answer<void>
  }
>() {}
