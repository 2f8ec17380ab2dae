import { randomUUID } from "node:crypto"

export interface StoredAttachment {
  readonly id: string
  readonly name: string
  readonly contentType: string
  readonly isInline: boolean
  readonly contentId: string | null
  readonly kind: "file" | "item" | "reference"
  /** The size that the provider reports, when it differs from the real one. */
  readonly size?: number
  /** The target of a reference. */
  readonly sourceUrl?: string
  bytes: Buffer
}

export interface StoredMessage {
  readonly id: string
  readonly number: number
  folderID: string
  isDraft: boolean
  /** As the provider would show it. */
  fields: Readonly<Record<string, unknown>>
  readonly attachments: Array<StoredAttachment>
}

export interface StoredFolder {
  /** Changes when the mailbox is restored. */
  id: string
  readonly displayName: string
  readonly parentID: string | null
}

export interface StoredSubscription {
  readonly id: string
  readonly resource: string
  readonly notificationUrl: string
  readonly changeType: string
  readonly clientState: string | null
  expirationDateTime: string
}

/** How the simulator deviates from a provider on a good day. */
export interface Switches {
  /** Every notification is sent this many times. */
  copies: number
  /** Notifications are held back and leave in reverse order. */
  reorder: boolean
  /** Notifications get lost. */
  lose: boolean
  /** This many requests get a 429 with this Retry-After. */
  throttle: { requests: number; retryAfter: string }
  /** This many requests get this status. */
  fail: { requests: number; status: number }
  /** Requests whose path contains this always get a 500. */
  failPath: string | null
  /** The Retry-After of such a response. */
  failPathRetryAfter: string | null
  /** Downloads whose path contains this arrive byte by byte, until the switch is cleared. */
  dripPath: string | null
  /** Requests whose path contains this wait for their response until the switch is cleared. */
  holdPath: string | null
  /** This many requests to end a subscription get a 503. */
  failRemovals: number
  /** This many requests for a subscription get a 503. */
  failSubscribing: number
  /** This many requests are cut off in the middle. */
  cut: number
  /** After this many requests, the tokens issued so far are withdrawn, once. */
  withdrawTokensAfter: number
  /** The next delta request with a token is told that the sync state no longer exists. */
  forgetDelta: boolean
  /** The links of a delta response lead to another host. */
  leadAway: boolean
  /** Subscriptions are gone when they are to be renewed. */
  forgetSubscriptions: boolean
  /** This many times, all subscriptions are gone when they are listed. */
  loseSubscriptions: number
  /** A message is gone before it is fetched. */
  vanish: boolean
  /** Files are listed but gone when they are fetched: they alone, or with their mail. */
  loseFiles: "Not" | "Alone" | "WithTheirMail"
  /** How long the handshake of a new subscription takes. */
  handshakeDelay: number
  /** A new subscription's first notification is sent before the response to its creation. */
  notifyEarly: boolean
  /** Notifications carry another client's clientState. */
  forge: boolean
  /** How long every response takes. */
  latency: number
  /** This many responses to send are cut off after the mail has left. */
  cutAfterSend: number
  /** This many requests to send get a 429 with a Retry-After of five minutes. */
  throttleSending: number
  /** How long clients unknown to the authority wait for a response to their token request. */
  strangersWait: number
  /** This many uploads of large files are cut off as they begin. */
  cutUploads: number
  /** This many pieces of large files are accepted, but their response is cut off. */
  cutPieces: number
  /** This many requests for a token get a 429 with a Retry-After. */
  throttleTokens: { requests: number; retryAfter: string }
}

export const goodDay = (): Switches => ({
  copies: 1,
  reorder: false,
  lose: false,
  throttle: { requests: 0, retryAfter: "1" },
  fail: { requests: 0, status: 500 },
  failPath: null,
  failPathRetryAfter: null,
  dripPath: null,
  holdPath: null,
  failRemovals: 0,
  failSubscribing: 0,
  cut: 0,
  withdrawTokensAfter: 0,
  forgetDelta: false,
  leadAway: false,
  forgetSubscriptions: false,
  loseSubscriptions: 0,
  vanish: false,
  loseFiles: "Not",
  handshakeDelay: 0,
  notifyEarly: false,
  forge: false,
  latency: 0,
  cutAfterSend: 0,
  throttleSending: 0,
  strangersWait: 0,
  cutUploads: 0,
  cutPieces: 0,
  throttleTokens: { requests: 0, retryAfter: "1" }
})

/** A mailbox as the provider keeps it. */
export class SimulatedMailbox {
  readonly folders: Array<StoredFolder> = [
    { id: "AAMk-inbox", displayName: "Inbox", parentID: null },
    { id: "AAMk-sent", displayName: "Sent Items", parentID: null },
    { id: "AAMk-drafts", displayName: "Drafts", parentID: null },
    { id: "AAMk-deleted", displayName: "Deleted Items", parentID: null }
  ]
  readonly messages = new Map<string, StoredMessage>()
  /** Mails sent without keeping a copy. */
  readonly unkept: Array<Readonly<Record<string, unknown>>> = []
  number = 0
  /** As while it is moved: the provider does not know it. */
  isAway = false
  /** The number of concurrent requests. */
  atOnce = 0
  mostAtOnce = 0

  constructor(readonly address: string) {}

  folder(nameOrID: string) {
    const wellKnown: Readonly<Record<string, string>> = {
      inbox: "Inbox",
      sentitems: "Sent Items",
      drafts: "Drafts"
    }
    const name = wellKnown[nameOrID.toLowerCase()]
    return this.folders.find(({ displayName, id }) => (name === undefined ? id === nameOrID : displayName === name))
  }

  /** Restores the mailbox as it was, except that the inbox has a new id. */
  restore() {
    const [inbox] = this.folders
    if (inbox === undefined) return
    const messages = [...this.messages.values()].filter(({ folderID }) => folderID === inbox.id)
    inbox.id = `AAMk-${randomUUID()}`
    for (const message of messages) message.folderID = inbox.id
  }

  add(folderID: string, fields: Readonly<Record<string, unknown>>, attachments: ReadonlyArray<StoredAttachment> = []) {
    this.number += 1
    const id = `AAkALgAA-${randomUUID()}`
    const message: StoredMessage = {
      id,
      number: this.number,
      folderID,
      isDraft: fields["isDraft"] === true,
      fields,
      attachments: [...attachments]
    }
    this.messages.set(id, message)
    return message
  }
}

export class GraphState {
  readonly mailboxes = new Map<string, SimulatedMailbox>()
  readonly subscriptions = new Map<string, StoredSubscription>()
  readonly uploads = new Map<string, { mailbox: string; messageID: string; item: UploadItem; bytes: Array<Buffer> }>()
  readonly tokens = new Set<string>()
  /** Whether a request has met `holdPath` since that was set. */
  hasHeld = false
  readonly seen: Array<{ readonly method: string; readonly path: string; readonly status: number }> = []
  switches = goodDay()
  tokenRequests = 0
  tokenLifeSeconds = 3600
  requests = 0
  /** Where the service really listens, since its public address is made up. */
  serviceUrl: string | undefined

  mailbox(address: string) {
    const key = address.toLowerCase()
    const mailbox = this.mailboxes.get(key) ?? new SimulatedMailbox(address)
    this.mailboxes.set(key, mailbox)
    return mailbox
  }
}

export interface UploadItem {
  readonly name: string
  readonly size: number
  readonly contentType: string
}
