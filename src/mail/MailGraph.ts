import { Context, Data, type Effect, type Option, type Redacted, type Stream } from "effect"
import type { AnswerFile } from "../sending/AnswerFiles.ts"
import type { GraphAttachment, GraphFolder, GraphMessage, GraphSubscription } from "./GraphShapes.ts"

/** How the service introduces itself to the mail provider. */
export interface MailCredentials {
  readonly tenantID: string
  readonly clientID: string
  readonly clientSecret: Redacted.Redacted
  readonly authorityURL: string
  readonly scope: string
}

export interface Mailbox {
  readonly address: string
  readonly credentials: MailCredentials
}

/**
 * What the provider did not do. Missing: there is no such thing. Exists: there is one already. Expired: the place to go
 * on from is forgotten. Refused: no, for good. Blocked: the address may not be called. Unavailable: perhaps later.
 */
export class MailProblem extends Data.TaggedError("MailProblem")<{
  readonly reason: "Missing" | "Exists" | "Expired" | "Refused" | "Blocked" | "Unavailable"
  readonly message: string
  /** When the provider says how long to wait. */
  readonly retryAfterSeconds?: number
  /** It has surely done nothing: it was not reached, or did not begin. */
  readonly isUndone?: boolean
}> {}

/** There is no such mail here. A channel may have got another mailbox, whose provider does not know the ids of the old one. */
export const isUnknown = ({ message, reason }: MailProblem) =>
  reason === "Missing" || /\bErrorInvalid(?:MailboxItemId|IdMalformed)\b/.test(message)

/** A part of a folder's changes, and where to go on: in this round, or in the next one. */
export interface DeltaPage {
  readonly messageIDs: ReadonlyArray<string>
  readonly next: { readonly link: string; readonly isLast: boolean }
}

export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly internetMessageID: string
  /** An automation sends it, not a person. */
  readonly isAutomatic: boolean
}

/** A mail of the service itself, not of the people who work with the mailbox. */
export interface SystemMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string | undefined
  readonly internetMessageID: string
}

type Answer<A> = Effect.Effect<A, MailProblem>

/** The mail provider: everything that the service asks of a mailbox. Ids are immutable, whatever is moved where. */
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
    /** What is new in a folder, from a link on, else from a moment on, else all of it. */
    readonly delta: (
      mailbox: Mailbox,
      folderID: string,
      from: { readonly link: string | null; readonly since: Date | null }
    ) => Answer<DeltaPage>
    readonly message: (mailbox: Mailbox, messageID: string) => Answer<GraphMessage>
    /** As it came over the wire. */
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
    /** A draft in the thread of a message, or at the beginning of one. Answers its id. */
    readonly createReply: (mailbox: Mailbox, messageID: string, mail: OutgoingMail) => Answer<string>
    readonly createDraft: (mailbox: Mailbox, mail: OutgoingMail) => Answer<string>
    readonly attach: (mailbox: Mailbox, draftID: string, file: AnswerFile) => Answer<void>
    /** Only as long as it is one: what has left stays, whoever sent it. One that is gone already need not be removed. */
    readonly removeDraft: (mailbox: Mailbox, draftID: string) => Answer<void>
    /** Never repeated by itself: when it breaks off, nobody knows whether the mail has left. */
    readonly send: (mailbox: Mailbox, draftID: string) => Answer<void>
    /** Sends without a copy in the mailbox: not everybody who reads that may read this. Never repeated by itself. */
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
