import { randomUUID } from "node:crypto"

export interface StoredAttachment {
  readonly id: string
  readonly name: string
  readonly contentType: string
  readonly isInline: boolean
  readonly contentId: string | null
  readonly kind: "file" | "item" | "reference"
  /** How large the provider says that it is, when that is not so. */
  readonly size?: number
  /** Where a reference leads. */
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
  /** Another one when the mailbox is restored. */
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

/** What the simulator does otherwise than a provider on a good day. */
export interface Switches {
  /** Every notification comes this often. */
  copies: number
  /** Notifications wait and leave in the other order. */
  reorder: boolean
  /** Notifications get lost. */
  lose: boolean
  /** The next requests are answered 429 with this Retry-After. */
  throttle: { requests: number; retryAfter: string }
  /** The next requests are answered with this status. */
  fail: { requests: number; status: number }
  /** Requests whose path contains this are answered 500, however often. */
  failPath: string | null
  /** When such an answer says to come back. */
  failPathRetryAfter: string | null
  /** Bytes whose path contains this come one by one, and do not end before this does. */
  dripPath: string | null
  /** The next requests to end a subscription are answered 503. */
  failRemovals: number
  /** The next requests for a subscription are answered 503. */
  failSubscribing: number
  /** The next requests are cut off in the middle. */
  cut: number
  /** After so many requests the tokens given so far are withdrawn, once. */
  withdrawTokensAfter: number
  /** The next delta that goes on from somewhere is told that nobody remembers. */
  forgetDelta: boolean
  /** What a delta says about where to go on leads to somebody else. */
  leadAway: boolean
  /** Subscriptions are gone when they are to be renewed. */
  forgetSubscriptions: boolean
  /** So many times all subscriptions are gone when they are asked for. */
  loseSubscriptions: number
  /** A message is gone before it is fetched. */
  vanish: boolean
  /** Files are listed, and are gone when they are fetched: they alone, or with their mail. */
  loseFiles: "Not" | "Alone" | "WithTheirMail"
  /** How long the handshake of a new subscription takes. */
  handshakeDelay: number
  /** A new subscription's first notification leaves before the answer to its creation. */
  notifyEarly: boolean
  /** Notifications carry a clientState of somebody else. */
  forge: boolean
  /** How long every answer takes. */
  latency: number
  /** Answers to send are cut off after the mail has left. */
  cutAfterSend: number
  /** The next requests to send are answered 429, to come back in five minutes. */
  throttleSending: number
  /** How long those wait for a token whom the authority does not know. */
  strangersWait: number
  /** So many uploads of large files are refused when they begin. */
  cutUploads: number
  /** So many pieces of large files are taken, and the answer is cut off. */
  cutPieces: number
  /** The next requests for a token are answered 429 with a Retry-After. */
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
  /** What left without a copy. */
  readonly unkept: Array<Readonly<Record<string, unknown>>> = []
  number = 0
  /** How many requests there were at a time. */
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

  /** It is what it was, and the inbox has another id. */
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
