import { randomUUID } from "node:crypto"
import { Predicate } from "effect"
import { field, fieldsOf, listIn, numberIn, textIn } from "./Fields.ts"
import { changeOf, handshake } from "./GraphServerNotifications.ts"
import type { GraphState, SimulatedMailbox, StoredAttachment, StoredMessage } from "./GraphServerState.ts"

export interface GraphRequest {
  readonly method: string
  readonly url: URL
  readonly path: string
  readonly prefer: string
  readonly contentRange: string
  readonly bytes: Buffer
  readonly json: Readonly<Record<string, unknown>>
  readonly origin: string
}

export interface GraphAnswer {
  readonly status: number
  readonly json?: unknown
  readonly bytes?: Buffer
  /** The connection breaks before the response. */
  readonly cut?: boolean
  readonly retryAfter?: string
}

type Handler = (request: GraphRequest, ...parts: ReadonlyArray<string>) => GraphAnswer | Promise<GraphAnswer>

const problem = (status: number, code: string, message = code): GraphAnswer => ({
  status,
  json: { error: { code, message, innerError: { date: "2026-01-01T00:00:00", "request-id": randomUUID() } } }
})

const missing = problem(404, "ErrorItemNotFound", "The specified object was not found in the store.")

const text = (value: unknown) => (typeof value === "string" ? value : "")

const shown = ({ attachments, fields, id, isDraft }: StoredMessage) => ({
  "@odata.etag": 'W/"CQAAABYAAAC"',
  ...fields,
  id,
  isDraft,
  hasAttachments: attachments.some(({ isInline }) => !isInline)
})

const shownAttachment = ({
  bytes,
  contentId,
  contentType,
  id,
  isInline,
  kind,
  name,
  size,
  sourceUrl
}: StoredAttachment) => ({
  "@odata.type": `#microsoft.graph.${kind}Attachment`,
  "@odata.mediaContentType": contentType,
  id,
  name,
  contentType,
  size: size ?? bytes.length + 120,
  isInline,
  ...(kind === "file" && { contentId }),
  ...(kind === "reference" && { sourceUrl: sourceUrl ?? null })
})

const mimeOf = (message: StoredMessage) =>
  Buffer.from(`Subject: ${text(message.fields["subject"])}\r\n\r\n${JSON.stringify(message.fields["body"] ?? null)}`)

const pageSizeOf = (prefer: string) => Number(/odata\.maxpagesize=(\d+)/.exec(prefer)?.[1] ?? 10)

const filterValue = (url: URL, pattern: RegExp) => {
  const value = pattern.exec(url.searchParams.get("$filter") ?? "")?.[1]
  return value?.replaceAll("''", "'")
}

const delta = (state: GraphState, mailbox: SimulatedMailbox, folderID: string, request: GraphRequest): GraphAnswer => {
  const token = request.url.searchParams.get("$skiptoken") ?? request.url.searchParams.get("$deltatoken")
  if (token !== null && state.switches.forgetDelta) {
    state.switches.forgetDelta = false
    return problem(410, "SyncStateNotFound", "The sync state generation is not found.")
  }
  const since =
    token === null
      ? (filterValue(request.url, /receivedDateTime ge (\S+)/) ?? "")
      : Buffer.from(token, "base64url").toString().split("|")[1]
  const after = token === null ? 0 : Number(Buffer.from(token, "base64url").toString().split("|")[0])
  const waiting = [...mailbox.messages.values()].filter(
    (message) =>
      message.folderID === folderID &&
      message.number > after &&
      (since === "" || text(message.fields["receivedDateTime"]) >= (since ?? ""))
  )
  const page = waiting.slice(0, pageSizeOf(request.prefer))
  const isLast = page.length === waiting.length
  const reached = isLast ? mailbox.number : (page.at(-1)?.number ?? after)
  const next = Buffer.from(`${reached}|${since}`).toString("base64url")
  const origin = state.switches.leadAway ? "https://graph.elsewhere.example" : request.origin
  const link = `${origin}${request.url.pathname}?${isLast ? "$deltatoken" : "$skiptoken"}=${next}`
  return {
    status: 200,
    json: {
      "@odata.context": `${request.origin}/v1.0/$metadata#Collection(message)`,
      [isLast ? "@odata.deltaLink" : "@odata.nextLink"]: link,
      value: [
        ...page.map(({ id }) => ({ "@odata.type": "#microsoft.graph.message", "@odata.etag": "W/x", id })),
        ...(token !== null && isLast ? [{ "@removed": { reason: "deleted" }, id: "gone-long-ago" }] : [])
      ]
    }
  }
}

const newAttachment = (name: string, contentType: string, bytes: Buffer): StoredAttachment => ({
  id: `att-${randomUUID()}`,
  name,
  contentType,
  bytes,
  isInline: false,
  contentId: null,
  kind: "file"
})

/** The headers of a mail beyond those that have a field of their own; none when it gives none. */
export const headersIn = (fields: unknown): ReadonlyArray<unknown> =>
  Predicate.hasProperty(fields, "internetMessageHeaders") ? listIn(fields, "internetMessageHeaders") : []

/** A plain-text mail is quoted as plain text. */
const quoteOf = ({ content, contentType }: Readonly<Record<string, unknown>>) =>
  contentType === "text"
    ? { contentType, content: `\r\n________________\r\n${text(content)}` }
    : { contentType: "html", content: `<html><body><hr><div>${text(content)}</div></body></html>` }

/** A reply carries the inline pictures of the mail it quotes, and no other file. */
const reply = (mailbox: SimulatedMailbox, original: StoredMessage, given: unknown) =>
  mailbox.add(
    "AAMk-drafts",
    replyFields(original, given),
    original.attachments.filter(({ isInline }) => isInline)
  )

const replyFields = (original: StoredMessage, given: unknown) => ({
  isDraft: true,
  subject: `Re: ${text(original.fields["subject"])}`,
  conversationId: original.fields["conversationId"] ?? null,
  internetMessageId: `<${randomUUID()}@provider.example>`,
  toRecipients: [original.fields["from"]],
  body: quoteOf(fieldsOf(original.fields["body"])),
  internetMessageHeaders: [
    { name: "In-Reply-To", value: text(original.fields["internetMessageId"]) },
    ...headersIn(given)
  ]
})

/** The provider's handlers, by method and path. A handler receives the parts that the pattern captures. */
export const routes = (state: GraphState): ReadonlyArray<readonly [string, RegExp, Handler]> => {
  const ofMessage =
    (handle: (mailbox: SimulatedMailbox, message: StoredMessage, request: GraphRequest, rest: string) => GraphAnswer) =>
    (request: GraphRequest, address = "", id = "", rest = "") => {
      const mailbox = state.mailbox(address)
      const message = mailbox.messages.get(id)
      if (message !== undefined) return handle(mailbox, message, request, rest)
      const isElsewhere = [...state.mailboxes.values()].some(({ messages }) => messages.has(id))
      return isElsewhere ? problem(400, "ErrorInvalidMailboxItemId", "Item Id doesn't belong to it.") : missing
    }

  const createSubscription = async ({ json }: GraphRequest): Promise<GraphAnswer> => {
    const [resource, notificationUrl] = [text(json["resource"]), text(json["notificationUrl"])]
    if (state.switches.failSubscribing > 0) {
      state.switches.failSubscribing -= 1
      return problem(503, "ServiceUnavailable", "Try again.")
    }
    const [, address = "", folderID = ""] = /^\/users\/([^/]+)\/mailFolders\('([^']+)'\)/.exec(resource) ?? []
    if (state.mailbox(address).folder(folderID) === undefined) return missing
    const twin = [...state.subscriptions.values()].find(
      (known) => known.resource === resource && known.notificationUrl === notificationUrl
    )
    if (twin !== undefined) return problem(409, "ExtensionError", "A subscription for this resource exists already.")
    await new Promise((resolve) => setTimeout(resolve, state.switches.handshakeDelay))
    if (!(await handshake(state, notificationUrl))) {
      return problem(400, "ValidationError", "Subscription validation request failed.")
    }
    const subscription = {
      id: randomUUID(),
      resource,
      notificationUrl,
      changeType: text(json["changeType"]),
      clientState: text(json["clientState"]) || null,
      expirationDateTime: text(json["expirationDateTime"])
    }
    state.subscriptions.set(subscription.id, subscription)
    if (state.switches.notifyEarly) {
      const message = state.mailbox(address).add(folderID, earlyMail())
      await fetch(new URL(new URL(notificationUrl).pathname, state.serviceUrl ?? notificationUrl), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ value: [changeOf(state, subscription, message)] })
      })
    }
    return { status: 201, json: { ...subscription, clientState: null, applicationId: randomUUID() } }
  }

  const subscription =
    (handle: (id: string, request: GraphRequest) => GraphAnswer) =>
    (request: GraphRequest, id = "") =>
      state.subscriptions.has(id) ? handle(id, request) : problem(404, "ResourceNotFound", "The object was not found.")

  return [
    [
      "GET",
      /^\/users\/([^/]+)\/mailFolders\/([^/]+)$/,
      (_, address = "", id = "") => {
        const folder = state.mailbox(address).folder(id)
        return folder === undefined ? missing : { status: 200, json: folder }
      }
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/mailFolders(?:\/([^/]+)\/childFolders)?$/,
      ({ url }, address = "", parentID) => {
        const name = filterValue(url, /^displayName eq '(.*)'$/)
        const found = state
          .mailbox(address)
          .folders.filter((folder) => folder.displayName === name && folder.parentID === (parentID ?? null))
        return { status: 200, json: { value: found } }
      }
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/mailFolders\/([^/]+)\/messages\/delta$/,
      (request, address = "", id = "") => {
        const mailbox = state.mailbox(address)
        const folder = mailbox.folder(id)
        return folder === undefined ? missing : delta(state, mailbox, folder.id, request)
      }
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/messages$/,
      ({ url }, address = "") => {
        const wanted = filterValue(url, /^internetMessageId eq '(.*)'$/)
        const found = [...state.mailbox(address).messages.values()].filter(
          ({ fields }) => fields["internetMessageId"] === wanted
        )
        return { status: 200, json: { value: found.map(({ id, isDraft }) => ({ id, isDraft })) } }
      }
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/messages\/([^/]+)$/,
      ofMessage((mailbox, message) => {
        if (!state.switches.vanish) return { status: 200, json: shown(message) }
        mailbox.messages.delete(message.id)
        return missing
      })
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/\$value$/,
      ofMessage((_, message) => ({
        status: 200,
        bytes: mimeOf(message)
      }))
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/attachments$/,
      ofMessage((_, { attachments }) => ({
        status: 200,
        json: { value: attachments.map(shownAttachment) }
      }))
    ],
    [
      "GET",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/attachments\/([^/]+)\/\$value$/,
      ofMessage((mailbox, { attachments, id: messageID }, _, id) => {
        const { loseFiles } = state.switches
        if (loseFiles === "WithTheirMail") mailbox.messages.delete(messageID)
        if (loseFiles !== "Not") return missing
        const attachment = attachments.find((candidate) => candidate.id === id)
        return attachment === undefined ? missing : { status: 200, bytes: attachment.bytes }
      })
    ],
    [
      "POST",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/createReply$/,
      ofMessage((mailbox, original, { json }) => ({
        status: 201,
        json: shown(reply(mailbox, original, json["message"]))
      }))
    ],
    [
      "POST",
      /^\/users\/([^/]+)\/messages$/,
      ({ json }, address = "") => ({
        status: 201,
        json: shown(state.mailbox(address).add("AAMk-drafts", { ...json, isDraft: true }))
      })
    ],
    [
      "PATCH",
      /^\/users\/([^/]+)\/messages\/([^/]+)$/,
      ofMessage((_, message, { json }) => {
        if (!message.isDraft) return problem(400, "ErrorInvalidPropertySet", "The message is not a draft.")
        if (JSON.stringify(json).includes("refused@")) return problem(400, "ErrorInvalidRecipients")
        message.fields = { ...message.fields, ...json }
        return { status: 200, json: shown(message) }
      })
    ],
    [
      "DELETE",
      /^\/users\/([^/]+)\/messages\/([^/]+)$/,
      ofMessage((mailbox, message) => {
        if (message.folderID === "AAMk-deleted") mailbox.messages.delete(message.id)
        else message.folderID = "AAMk-deleted"
        return { status: 204 }
      })
    ],
    [
      "POST",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/attachments$/,
      ofMessage((_, message, { json }) => {
        const bytes = Buffer.from(text(json["contentBytes"]), "base64")
        if (bytes.length >= 3_000_000) return problem(413, "RequestEntityTooLarge")
        message.attachments.push(newAttachment(text(json["name"]), text(json["contentType"]), bytes))
        return { status: 201, json: {} }
      })
    ],
    [
      "POST",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/attachments\/createUploadSession$/,
      ofMessage((mailbox, message, { json, origin }) => {
        if (state.switches.cutUploads > 0) {
          state.switches.cutUploads -= 1
          return { status: 201, cut: true }
        }
        const given = json["AttachmentItem"]
        const item = {
          name: textIn(given, "name"),
          size: numberIn(given, "size"),
          contentType: text(field(given, "contentType"))
        }
        const id = randomUUID()
        state.uploads.set(id, { mailbox: mailbox.address, messageID: message.id, item, bytes: [] })
        return { status: 201, json: { uploadUrl: `${origin}/upload/${id}`, nextExpectedRanges: ["0-"] } }
      })
    ],
    [
      "POST",
      /^\/users\/([^/]+)\/messages\/([^/]+)\/send$/,
      ofMessage((mailbox, message) => {
        if (!message.isDraft) return problem(400, "ErrorInvalidRequest", "The message was sent already.")
        if (state.switches.throttleSending > 0) {
          state.switches.throttleSending -= 1
          return { ...problem(429, "ApplicationThrottled"), retryAfter: "300" }
        }
        message.isDraft = false
        message.folderID = "AAMk-sent"
        message.fields = { ...message.fields, sentDateTime: "2026-01-01T00:00:00Z", mailbox: mailbox.address }
        if (state.switches.cutAfterSend === 0) return { status: 202 }
        state.switches.cutAfterSend -= 1
        return { status: 202, cut: true }
      })
    ],
    [
      "POST",
      /^\/users\/([^/]+)\/sendMail$/,
      ({ json }, address = "") => {
        const mailbox = state.mailbox(address)
        if (json["saveToSentItems"] === false) mailbox.unkept.push(fieldsOf(json["message"]))
        else mailbox.add("AAMk-sent", fieldsOf(json["message"]))
        return { status: 202 }
      }
    ],
    ["POST", /^\/subscriptions$/, createSubscription],
    [
      "GET",
      /^\/subscriptions$/,
      () => {
        if (state.switches.loseSubscriptions > 0) {
          state.switches.loseSubscriptions -= 1
          state.subscriptions.clear()
        }
        const value = [...state.subscriptions.values()].map((one) => ({ ...one, clientState: null }))
        return { status: 200, json: { value } }
      }
    ],
    [
      "PATCH",
      /^\/subscriptions\/([^/]+)$/,
      subscription((id, { json }) => {
        const known = state.subscriptions.get(id)
        if (known === undefined || state.switches.forgetSubscriptions) {
          state.subscriptions.delete(id)
          return problem(404, "ResourceNotFound", "The object was not found.")
        }
        known.expirationDateTime = text(json["expirationDateTime"])
        return { status: 200, json: { ...known, clientState: null } }
      })
    ],
    [
      "DELETE",
      /^\/subscriptions\/([^/]+)$/,
      subscription((id) => {
        if (state.switches.failRemovals > 0) {
          state.switches.failRemovals -= 1
          return problem(503, "ServiceUnavailable", "Try again.")
        }
        state.subscriptions.delete(id)
        return { status: 204 }
      })
    ],
    ["POST", /^\/subscriptions\/([^/]+)\/reauthorize$/, subscription(() => ({ status: 202 }))]
  ]
}

const earlyMail = () => ({
  subject: "Earlier than the answer",
  internetMessageId: `<${randomUUID()}@early.example>`,
  conversationId: randomUUID(),
  receivedDateTime: new Date().toISOString(),
  from: { emailAddress: { name: "Early Bird", address: "early@bird.example" } },
  toRecipients: [],
  body: { contentType: "text", content: "I was here before the subscription knew of itself." }
})

/** Takes a piece of a large file; the last piece completes the attachment. */
export const upload = (state: GraphState, id: string, { bytes, contentRange }: GraphRequest): GraphAnswer => {
  const session = state.uploads.get(id)
  if (session === undefined) return missing
  const received = session.bytes.reduce((size, piece) => size + piece.length, 0)
  const [, start, end] = /^bytes (\d+)-(\d+)\/\d+$/.exec(contentRange) ?? []
  if (Number(start) !== received || Number(end) - Number(start) + 1 !== bytes.length) {
    return problem(416, "ErrorInvalidRange", contentRange)
  }
  session.bytes.push(bytes)
  const cut = state.switches.cutPieces > 0
  if (cut) state.switches.cutPieces -= 1
  if (received + bytes.length < session.item.size) return { status: 200, json: { nextExpectedRanges: [] }, cut }
  const message = state.mailbox(session.mailbox).messages.get(session.messageID)
  message?.attachments.push(newAttachment(session.item.name, session.item.contentType, Buffer.concat(session.bytes)))
  return { status: 201, cut }
}
