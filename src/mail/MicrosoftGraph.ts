import { HttpClientRequest } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Effect, Layer, Option, type Schema } from "effect"
import { noLongerThan } from "../platform/concurrency/NoLongerThan.ts"
import { confidential, noResponses } from "../platform/systemMail/Mailer.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { draftOf, filledDraft, recipientsOf } from "./DraftContent.ts"
import { decodeJson } from "./GraphAnswers.ts"
import { makeGraphRequests } from "./GraphRequests.ts"
import {
  DeltaAnswer,
  GraphAttachment,
  GraphFolder,
  GraphMessage,
  GraphSubscription,
  ListAnswer,
  messageFields,
  Reference,
  ReplyDraft
} from "./GraphShapes.ts"
import { makeGraphUploads } from "./GraphUploads.ts"
import { isUnknown, type Mailbox, MailGraph, MailProblem } from "./MailGraph.ts"

const attachmentFields = "id,name,contentType,size,isInline"

/** A string literal in a filter. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

const segment = encodeURIComponent

const usersPath = ({ address }: Mailbox) => `/users/${segment(address)}`

const messagePath = (mailbox: Mailbox, messageID: string) => `${usersPath(mailbox)}/messages/${segment(messageID)}`

const folderPath = (mailbox: Mailbox, folderID: string) => `${usersPath(mailbox)}/mailFolders/${segment(folderID)}`

/** The resource of a subscription, in the form that notifications use. */
export const messagesOf = (address: string, folderID: string) => `/users/${address}/mailFolders('${folderID}')/messages`

/** The provider takes headers only when a message is made, and only those that begin with x-. */
const headersOf = (isAutomatic: boolean, isConfidential = false) => {
  const internetMessageHeaders = [...(isAutomatic ? [noResponses] : []), ...(isConfidential ? [confidential] : [])]
  return internetMessageHeaders.length === 0 ? {} : { internetMessageHeaders }
}

const nothing = () => Effect.void

const make = Effect.gen(function* () {
  const requests = yield* makeGraphRequests
  const { ask, askNow, askOnce, askPreferring, url } = requests
  const attach = makeGraphUploads(requests)

  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    HttpClientRequest.get(url(path)).pipe(HttpClientRequest.setUrlParams(query))
  const post = (path: string, body: unknown = {}) =>
    HttpClientRequest.post(url(path)).pipe(HttpClientRequest.bodyUnsafeJson(body))
  const patch = (path: string, body: unknown) =>
    HttpClientRequest.patch(url(path)).pipe(HttpClientRequest.bodyUnsafeJson(body))

  /** Every page of a list. */
  const all = <A, I>(mailbox: Mailbox, first: HttpClientRequest.HttpClientRequest, item: Schema.Schema<A, I>) =>
    Effect.gen(function* () {
      const read = decodeJson(ListAnswer(item))
      let page = yield* ask(mailbox, first, read)
      const items = [...page.value]
      while (page["@odata.nextLink"] !== null) {
        const next = HttpClientRequest.get(yield* requests.checkedLink(page["@odata.nextLink"]))
        page = yield* ask(mailbox, next, read)
        items.push(...page.value)
      }
      return items
    })

  const firstDelta = (mailbox: Mailbox, folderID: string, since: Date | null) =>
    get(`${folderPath(mailbox, folderID)}/messages/delta`, {
      changeType: "created",
      $select: "id",
      ...(since !== null && { $filter: `receivedDateTime ge ${since.toISOString()}` })
    })

  const removeDraft = fn("MicrosoftGraph.removeDraft")(
    function* (mailbox: Mailbox, draftID: string) {
      const look = get(messagePath(mailbox, draftID), { $select: "id,isDraft" })
      const { isDraft } = yield* ask(mailbox, look, decodeJson(Reference))
      if (isDraft === true) yield* askNow(mailbox, HttpClientRequest.del(url(messagePath(mailbox, draftID))), nothing)
    },
    Effect.catchIf(isUnknown, nothing)
  )

  /** A node that is stopping does not wait for the provider for long. */
  const removeUnfilled = (mailbox: Mailbox, draftID: string, isInterrupted: boolean) =>
    removeDraft(mailbox, draftID).pipe(
      Effect.disconnect,
      noLongerThan(isInterrupted ? "3 seconds" : "1 minute"),
      Effect.catchAllCause((cause) => Effect.logWarning("could not remove a draft that cannot be found again", cause))
    )

  return MailGraph.of({
    folder: fn("MicrosoftGraph.folder")(function* (mailbox, folderID) {
      return yield* ask(
        mailbox,
        get(folderPath(mailbox, folderID), { $select: "id,displayName" }),
        decodeJson(GraphFolder)
      )
    }),

    findFolder: fn("MicrosoftGraph.findFolder")(function* (mailbox, name, parentFolderID) {
      const path =
        parentFolderID === null
          ? `${usersPath(mailbox)}/mailFolders`
          : `${folderPath(mailbox, parentFolderID)}/childFolders`
      const query = { $filter: `displayName eq ${quoted(name)}`, $select: "id,displayName" }
      const { value } = yield* ask(mailbox, get(path, query), decodeJson(ListAnswer(GraphFolder)))
      return Option.fromNullable(value[0])
    }),

    delta: fn("MicrosoftGraph.delta")(function* (mailbox, folderID, { link, since }) {
      const request =
        link === null ? firstDelta(mailbox, folderID, since) : HttpClientRequest.get(yield* requests.keptLink(link))
      const page = yield* askPreferring(mailbox, request, "odata.maxpagesize=100", decodeJson(DeltaAnswer))
      const [next, last] = [page["@odata.nextLink"], page["@odata.deltaLink"]]
      const following = next ?? last
      if (following === null) {
        return yield* new MailProblem({
          reason: "Refused",
          message: "The mail provider's response does not say where to continue"
        })
      }
      return {
        messageIDs: page.value.filter((item) => item["@removed"] === undefined).map(({ id }) => id),
        next: { link: yield* requests.checkedLink(following), isLast: next === null }
      }
    }),

    message: fn("MicrosoftGraph.message")(function* (mailbox, messageID) {
      const request = get(messagePath(mailbox, messageID), { $select: messageFields })
      return yield* ask(mailbox, request, decodeJson(GraphMessage))
    }),

    source: (mailbox, messageID) => requests.stream(mailbox, get(`${messagePath(mailbox, messageID)}/$value`)),

    attachments: fn("MicrosoftGraph.attachments")(function* (mailbox, messageID) {
      // Only file attachments have a contentId: selected without the cast, it would fail the whole list.
      const request = get(`${messagePath(mailbox, messageID)}/attachments`, {
        $select: `${attachmentFields},microsoft.graph.fileAttachment/contentId`
      })
      return yield* all(mailbox, request, GraphAttachment)
    }),

    attachmentContent: (mailbox, messageID, attachmentID) =>
      requests.stream(mailbox, get(`${messagePath(mailbox, messageID)}/attachments/${segment(attachmentID)}/$value`)),

    findByInternetMessageID: fn("MicrosoftGraph.findByInternetMessageID")(function* (mailbox, internetMessageID) {
      const query = { $filter: `internetMessageId eq ${quoted(internetMessageID)}`, $select: "id,isDraft" }
      const read = decodeJson(ListAnswer(Reference))
      const { value } = yield* ask(mailbox, get(`${usersPath(mailbox)}/messages`, query), read)
      // A sent mail takes precedence over a draft.
      const found = value.find(({ isDraft }) => isDraft !== true) ?? value[0]
      return Option.map(Option.fromNullable(found), ({ id, isDraft }) => ({ id, isDraft: isDraft === true }))
    }),

    createReply: fn("MicrosoftGraph.createReply")(function* (mailbox, messageID, mail) {
      const path = `${messagePath(mailbox, messageID)}/createReply`
      const request = mail.isAutomatic ? post(path, { message: headersOf(true) }) : post(path)
      return yield* Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const draft = yield* restore(askOnce(mailbox, request, decodeJson(ReplyDraft)))
          // Without our Message-ID no later attempt would find the draft again.
          yield* restore(ask(mailbox, patch(messagePath(mailbox, draft.id), filledDraft(mail, draft)), nothing)).pipe(
            Effect.onError((cause) => removeUnfilled(mailbox, draft.id, Cause.isInterrupted(cause)))
          )
          return draft.id
        })
      )
    }),

    createDraft: fn("MicrosoftGraph.createDraft")(function* (mailbox, mail) {
      const { id } = yield* askOnce(
        mailbox,
        post(`${usersPath(mailbox)}/messages`, { ...draftOf(mail), ...headersOf(mail.isAutomatic) }),
        decodeJson(Reference)
      )
      return id
    }),

    attach: (mailbox, draftID, file) => attach(mailbox, messagePath(mailbox, draftID), file),

    removeDraft,

    send: fn("MicrosoftGraph.send")(function* (mailbox, draftID) {
      yield* askOnce(mailbox, post(`${messagePath(mailbox, draftID)}/send`), nothing)
    }),

    sendUnkept: fn("MicrosoftGraph.sendUnkept")(function* (mailbox, mail) {
      const { html, internetMessageID, isAutomatic, isConfidential, subject, text, to } = mail
      const message = {
        subject,
        body: html === undefined ? { contentType: "text", content: text } : { contentType: "html", content: html },
        toRecipients: recipientsOf(to),
        internetMessageId: internetMessageID,
        ...headersOf(isAutomatic, isConfidential)
      }
      yield* askOnce(mailbox, post(`${usersPath(mailbox)}/sendMail`, { message, saveToSentItems: false }), nothing)
    }),

    subscribe: fn("MicrosoftGraph.subscribe")(function* (mailbox, subscription) {
      const body = {
        changeType: "created",
        resource: messagesOf(mailbox.address, subscription.folderID),
        notificationUrl: subscription.notificationUrl,
        lifecycleNotificationUrl: subscription.notificationUrl,
        clientState: subscription.clientState,
        expirationDateTime: subscription.expires.toISOString(),
        latestSupportedTlsVersion: "v1_2"
      }
      // Repeating is harmless: if the first request was processed, the second one fails because the subscription
      // exists.
      return yield* ask(mailbox, post("/subscriptions", body), decodeJson(GraphSubscription))
    }),

    subscriptions: fn("MicrosoftGraph.subscriptions")(function* (mailbox) {
      return yield* all(mailbox, get("/subscriptions"), GraphSubscription)
    }),

    renew: fn("MicrosoftGraph.renew")(function* (mailbox, subscriptionID, expires) {
      const request = patch(`/subscriptions/${segment(subscriptionID)}`, { expirationDateTime: expires.toISOString() })
      return yield* ask(mailbox, request, decodeJson(GraphSubscription))
    }),

    reauthorize: fn("MicrosoftGraph.reauthorize")(function* (mailbox, subscriptionID) {
      yield* ask(mailbox, post(`/subscriptions/${segment(subscriptionID)}/reauthorize`), nothing)
    }),

    unsubscribe: fn("MicrosoftGraph.unsubscribe")(function* (mailbox, subscriptionID) {
      const request = HttpClientRequest.del(url(`/subscriptions/${segment(subscriptionID)}`))
      // A subscription that is already gone need not be removed.
      yield* ask(mailbox, request, nothing).pipe(Effect.catchIf(({ reason }) => reason === "Missing", nothing))
    })
  })
})

/** Microsoft Graph at GRAPH_BASE_URL. */
export const MicrosoftGraph = Layer.scoped(MailGraph, make).pipe(Layer.provide(NodeHttpClient.layerUndici))
