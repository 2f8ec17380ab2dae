import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { ChannelID, CustomerID, EndUserID } from "../../schema/Ids.ts"
import { Tokens } from "../../src/auth/Tokens.ts"
import { waitingErasure } from "../dataRights/RightsTools.ts"
import { endpoints } from "../support/Endpoints.ts"
import { exampleBody } from "../support/ExampleBody.ts"
import { field, fieldsOf, listIn, numberIn, textIn } from "../support/Fields.ts"
import { TestMailer } from "../support/TestMailer.ts"
import type { makeProbes } from "./Probes.ts"

type Probes = Effect.Effect.Success<typeof makeProbes>

const endpoint = (id: string) => {
  const found = endpoints.find((candidate) => candidate.id === id)
  if (found === undefined) throw new Error(`There is no endpoint ${id}`)
  return found
}

/** Creates two resources, and then changes the second into a duplicate of the first. */
const becomesTwin = ({ admin, ask }: Probes, create: string, update: string) =>
  Effect.gen(function* () {
    yield* ask(endpoint(create), { twin: true })
    const { json } = yield* ask(endpoint(create))
    const id = yield* Effect.fromNullable(Object.values(fieldsOf(json)).find((value) => typeof value === "number"))
    const body = yield* exampleBody(endpoint(create), admin.customerID)
    return yield* ask(endpoint(update), { ids: { id }, body })
  })

/** Creates a Chat channel, and returns the id and the token that requests name it by. */
const newChat = ({ ask }: Probes) =>
  Effect.map(
    ask(endpoint("channels.createChannel"), { body: { channelType: "Chat", name: "Chat", isActive: true } }),
    ({ json }) => ({ channelID: numberIn(json, "channelID"), token: textIn(json, "token") })
  )

/** Asks for a file that was just uploaded. */
const download = ({ ask }: Probes, headers: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { json } = yield* ask(endpoint("ticketMessageAttachments.uploadAttachment"))
    const accessToken = textIn(json, "accessToken")
    return yield* ask(endpoint("files.getFile"), { ids: { accessToken }, headers })
  })
/** An Email channel whose mail provider is configured, but cannot be reached. */
const newMailChannel = ({ ask }: Probes) =>
  Effect.map(
    ask(endpoint("channels.createChannel"), {
      body: {
        channelType: "Email",
        name: "Mail",
        isActive: true,
        emailAddress: "mail@acme.example",
        overrideMailProviderTenantID: "t",
        overrideMailProviderClientID: "c",
        overrideMailProviderClientSecret: "s",
        overrideMailProviderAuthorityURL: "https://127.0.0.1:9"
      }
    }),
    ({ json }) => ({ id: numberIn(json, "channelID") })
  )

/** Sends two requests with one key; without a body they differ in the query. */
const keyTwice = ({ ask }: Probes, id: string, ids: Readonly<Record<string, number>> = {}) =>
  Effect.zipRight(
    ask(endpoint(id), { ids, headers: { "idempotency-key": "one request" } }),
    ask(endpoint(id), { ids, query: "?another=one", headers: { "idempotency-key": "one request" } })
  )

/** A new ticket with an end user's message. */
const newMessage = (probes: Probes) =>
  Effect.gen(function* () {
    const { channelID } = yield* newChat(probes)
    const body = { channelID, message: "I lost my key", uid: "a visitor" }
    const { json } = yield* probes.ask(endpoint("ticketMessagesOnPhone.createTicketMessage"), { body })
    return { id: numberIn(json, "messageID"), ticketID: numberIn(json, "ticketID") }
  })

/** A message whose processing was given up. */
const givenUpMessage = (probes: Probes) =>
  Effect.gen(function* () {
    const { id } = yield* newMessage(probes)
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into pipeline_step (customer_id, ticket_message_id, step, kind, outcome)
      values (${probes.admin.customerID}, ${id}, 'Given up', 'Failed', 'Failed: its nodes died')`
    return { id }
  })

/** Returns the response to the last of several requests with the same key and different bodies. */
const withOneKey = (
  { ask }: Probes,
  id: string,
  ids: Readonly<Record<string, number>>,
  ...bodies: ReadonlyArray<object>
) =>
  Effect.map(
    Effect.forEach(bodies, (body) => ask(endpoint(id), { ids, body, headers: { "idempotency-key": `one ${id}` } })),
    (answers) => answers.at(-1) ?? { status: 0, text: "no bodies" }
  )

const bulk = ({ ask }: Probes, action: string, ...ticketIDs: ReadonlyArray<number>) =>
  ask(endpoint("tickets.bulkUpdateTickets"), { body: { ticketIDs, action } })

/** The token of the newest ticket in the list. */
const newestToken = ({ ask }: Probes) =>
  Effect.map(ask(endpoint("tickets.listTickets")), ({ json }) => textIn(listIn(json, "items")[0], "ticketToken"))

/** Asks with the phone token of a customer that no longer exists. */
const goneCustomer = ({ ask }: Probes, id: string, query = "") =>
  Effect.gen(function* () {
    const tokens = yield* Tokens
    const nobody = {
      customerID: CustomerID.make(2_147_483_646),
      channelID: ChannelID.make(1),
      phoneNumber: "+15550100"
    }
    return yield* ask(endpoint(id), { caller: { token: yield* tokens.forPhone(nobody) }, query })
  })

/** A room with notes and a photo. */
const newRoom = ({ ask }: Probes) =>
  Effect.gen(function* () {
    const room = yield* ask(endpoint("placeDescriptionRooms.createPlaceDescriptionRoom"), {
      body: { transcriptRaw: "walls white" }
    })
    const roomId = numberIn(room.json, "placeDescriptionRoomID")
    const { json } = yield* ask(endpoint("placeDescriptionPhotos.uploadPlaceDescriptionPhotos"), { ids: { roomId } })
    const photo = field(json, "0")
    return { roomId, photoID: numberIn(photo, "placeDescriptionRoomPhotoID"), token: textIn(photo, "accessToken") }
  })

const downloadPhoto = (probes: Probes, headers: Readonly<Record<string, string>>) =>
  Effect.flatMap(newRoom(probes), ({ token }) =>
    probes.ask(endpoint("placeDescriptionPhotos.downloadPlaceDescriptionPhoto"), {
      ids: { accessToken: token },
      headers
    })
  )

/** Statuses that need several requests, by the endpoint and status that these end in. */
export const scripts = (probes: Probes, { admin, ask } = probes) => ({
  "tickets.bulkUpdateTickets 204": Effect.flatMap(newMessage(probes), ({ ticketID }) =>
    bulk(probes, "close", ticketID)
  ),

  "tickets.bulkUpdateTickets 404": bulk(probes, "close", 2_147_483_646),

  "tickets.bulkUpdateTickets 409": Effect.gen(function* () {
    const { ticketID } = yield* newMessage(probes)
    yield* bulk(probes, "spam", ticketID)
    return yield* bulk(probes, "escalate", ticketID)
  }),

  "tickets.updateTicket 409": Effect.gen(function* () {
    const { ticketID } = yield* newMessage(probes)
    yield* bulk(probes, "spam", ticketID)
    return yield* ask(endpoint("tickets.updateTicket"), { ids: { id: ticketID }, body: { status: "Escalated" } })
  }),

  "endUsers.deleteEndUser 409": Effect.gen(function* () {
    const { json } = yield* ask(endpoint("endUsers.createEndUser"))
    const id = EndUserID.make(numberIn(json, "EndUserID"))
    yield* waitingErasure(id)
    return yield* ask(endpoint("endUsers.deleteEndUser"), { ids: { id } })
  }),

  "ticketMessages.listTicketMessages 200": Effect.flatMap(newMessage(probes), ({ ticketID }) =>
    ask(endpoint("ticketMessages.listTicketMessages"), { query: `?ticketId=${ticketID}` })
  ),

  "ticketMessages.listTicketMessages 404": ask(endpoint("ticketMessages.listTicketMessages"), {
    query: "?ticketId=2147483646"
  }),

  "ticketMessages.sendReply 200": Effect.flatMap(newMessage(probes), ({ id }) =>
    ask(endpoint("ticketMessages.sendReply"), { ids: { id }, body: { modifiedAnswer: "Call us." } })
  ),

  "ticketMessages.sendReply 422": Effect.flatMap(newMessage(probes), ({ id }) =>
    withOneKey(probes, "ticketMessages.sendReply", { id }, { modifiedAnswer: "One" }, { modifiedAnswer: "Other" })
  ),

  "ticketMessagesOnPhone.createTicketMessage 200": Effect.flatMap(newChat(probes), ({ channelID }) =>
    ask(endpoint("ticketMessagesOnPhone.createTicketMessage"), { body: { channelID, message: "Hello" } })
  ),

  "ticketMessagesOnPhone.createTicketMessage 403": Effect.flatMap(newChat(probes), ({ channelID }) =>
    ask(endpoint("ticketMessagesOnPhone.createTicketMessage"), {
      caller: probes.phone,
      body: { channelID, message: "Hello" }
    })
  ),

  "ticketMessagesOnPhone.createTicketMessage 422": Effect.flatMap(newMessage(probes), ({ ticketID }) =>
    withOneKey(
      probes,
      "ticketMessagesOnPhone.createTicketMessage",
      {},
      { ticketID, message: "One" },
      { ticketID, message: "Other" }
    )
  ),

  "automation.retryMessage 200": Effect.flatMap(givenUpMessage(probes), (ids) =>
    ask(endpoint("automation.retryMessage"), { ids })
  ),

  "ticketMessageAttachments.uploadAttachment 422": keyTwice(probes, "ticketMessageAttachments.uploadAttachment"),
  "placeDescriptionPhotos.uploadPlaceDescriptionPhotos 422": keyTwice(
    probes,
    "placeDescriptionPhotos.uploadPlaceDescriptionPhotos"
  ),
  "automation.retryMessage 422": Effect.flatMap(givenUpMessage(probes), (ids) =>
    keyTwice(probes, "automation.retryMessage", ids)
  ),

  "feedback.likeDislike 200": Effect.gen(function* () {
    yield* newMessage(probes)
    const ticketToken = yield* newestToken(probes)
    return yield* ask(endpoint("feedback.likeDislike"), { ids: { ticketToken }, query: "?like=true" })
  }),

  "feedback.likeDislike 404": ask(endpoint("feedback.likeDislike"), { query: "?like=true" }),

  "auth.impersonate 404": ask(endpoint("auth.impersonate"), { body: { customerID: 2_147_483_646 } }),

  "actions.updateAction 409": Effect.gen(function* () {
    const action = { name: "Taken", priority: 1, isActive: true }
    yield* ask(endpoint("actions.createAction"), { body: action })
    const { json } = yield* ask(endpoint("actions.createAction"), { body: { ...action, name: "Free" } })
    const actionID = numberIn(json, "actionID")
    return yield* ask(endpoint("actions.updateAction"), { ids: { id: actionID }, body: { ...action, actionID } })
  }),

  "translations.translate 404": goneCustomer(probes, "translations.translate"),

  "translations.translateToHtml 404": goneCustomer(probes, "translations.translateToHtml"),

  "translations.detectLanguage 404": goneCustomer(probes, "translations.detectLanguage", "?country=Germany"),

  "translations.detectLanguage 200": ask(endpoint("translations.detectLanguage"), { query: "?country=Germany" }),

  "aiRuns.summarizeAiRuns 400": ask(endpoint("aiRuns.summarizeAiRuns"), { query: "?from=yesterday" }),
  "placeDescriptionPhotos.downloadPlaceDescriptionPhoto 200": downloadPhoto(probes, {}),
  "placeDescriptionPhotos.downloadPlaceDescriptionPhoto 206": downloadPhoto(probes, { range: "bytes=0-1" }),
  "placeDescriptionPhotos.downloadPlaceDescriptionPhoto 304": downloadPhoto(probes, { "if-none-match": "*" }),
  "placeDescriptionPhotos.downloadPlaceDescriptionPhoto 400": ask(
    endpoint("placeDescriptionPhotos.downloadPlaceDescriptionPhoto"),
    { ids: { accessToken: "%" } }
  ),
  "placeDescriptionPhotos.downloadPlaceDescriptionPhoto 416": downloadPhoto(probes, { range: "bytes=999999999-" }),

  "placeDescriptionPhotos.reorderPlaceDescriptionPhotos 204": Effect.flatMap(newRoom(probes), ({ photoID, roomId }) =>
    ask(endpoint("placeDescriptionPhotos.reorderPlaceDescriptionPhotos"), {
      ids: { roomId },
      body: { photoIds: [photoID] }
    })
  ),

  "placeDescriptionRooms.restorePlaceDescriptionRoomVersion 422": Effect.gen(function* () {
    const { roomId } = yield* newRoom(probes)
    for (const transcriptHtml of ["<p>one</p>", "<p>two</p>"]) {
      yield* ask(endpoint("placeDescriptionRooms.updatePlaceDescriptionRoom"), {
        ids: { roomId },
        body: { transcriptHtml }
      })
    }
    const { json } = yield* ask(endpoint("placeDescriptionRooms.listPlaceDescriptionRoomVersions"), { ids: { roomId } })
    const versionId = numberIn(field(json, "0"), "placeDescriptionRoomVersionID")
    return yield* keyTwice(probes, "placeDescriptionRooms.restorePlaceDescriptionRoomVersion", { roomId, versionId })
  }),

  "placeDescriptionRooms.transformPlaceDescriptionRoom 200": Effect.flatMap(newRoom(probes), ({ roomId }) =>
    ask(endpoint("placeDescriptionRooms.transformPlaceDescriptionRoom"), { ids: { roomId } })
  ),

  "hookActions.waitSeconds 200": ask(endpoint("hookActions.waitSeconds"), { query: "?hookName=OnEscalate" }),

  "topics.updateTopic 409": becomesTwin(probes, "topics.createTopic", "topics.updateTopic"),

  "topicDocuments.updateTopicDocument 409": becomesTwin(
    probes,
    "topicDocuments.createTopicDocument",
    "topicDocuments.updateTopicDocument"
  ),

  "pageTopicMappings.updatePageTopicMapping 409": becomesTwin(
    probes,
    "pageTopicMappings.createPageTopicMapping",
    "pageTopicMappings.updatePageTopicMapping"
  ),

  "channels.updateChannel 409": Effect.gen(function* () {
    const { channelID } = yield* newChat(probes)
    const message = { channelID, message: "Hello" }
    yield* ask(endpoint("ticketMessagesOnPhone.createTicketMessage"), { body: message })
    return yield* ask(endpoint("channels.updateChannel"), { ids: { id: channelID }, body: { channelType: "Email" } })
  }),

  "channelFolders.updateChannelFolder 409": Effect.gen(function* () {
    const { channelID } = yield* newChat(probes)
    const create = (name: string, externalFolderID?: string) =>
      ask(endpoint("channelFolders.createChannelFolder"), { body: { channelID, name, externalFolderID } })
    yield* create("One", "the same")
    const { json } = yield* create("Other")
    const ids = { id: numberIn(json, "folderID") }
    return yield* ask(endpoint("channelFolders.updateChannelFolder"), { ids, body: { externalFolderID: "the same" } })
  }),

  "channelTranslations.createChannelTranslation 200": Effect.gen(function* () {
    const { channelID } = yield* newChat(probes)
    return yield* ask(endpoint("channelTranslations.createChannelTranslation"), { body: { channelID, lang: "it" } })
  }),

  "channelTranslations.createChannelTranslation 422": Effect.gen(function* () {
    const { channelID } = yield* newChat(probes)
    const create = (lang: string) =>
      ask(endpoint("channelTranslations.createChannelTranslation"), {
        body: { channelID, lang },
        headers: { "idempotency-key": "one language" }
      })
    yield* create("it")
    return yield* create("es")
  }),

  "channelTranslations.updateChannelTranslation 409": Effect.gen(function* () {
    const { channelID } = yield* newChat(probes)
    const create = (lang: string) =>
      ask(endpoint("channelTranslations.createChannelTranslation"), { body: { channelID, lang } })
    yield* create("it")
    const { json } = yield* create("es")
    const ids = { id: numberIn(json, "channelTranslationID") }
    return yield* ask(endpoint("channelTranslations.updateChannelTranslation"), { ids, body: { lang: "it" } })
  }),

  "channelTranslations.resolveChannelTranslation 200": Effect.flatMap(newChat(probes), ({ token }) =>
    ask(endpoint("channelTranslations.resolveChannelTranslation"), { query: `?token=${token}` })
  ),

  "channelTranslations.resolveChannelTranslation 404": ask(endpoint("channelTranslations.resolveChannelTranslation"), {
    query: "?token=unknown"
  }),

  "channels.importEmails 200": Effect.flatMap(newMailChannel(probes), (ids) =>
    ask(endpoint("channels.importEmails"), { ids })
  ),

  "channels.importEmails 422": Effect.flatMap(newMailChannel(probes), (ids) =>
    keyTwice(probes, "channels.importEmails", ids)
  ),

  "channels.importAllEmails 422": keyTwice(probes, "channels.importAllEmails"),

  "mailWebhook.unsubscribeMail 422": Effect.flatMap(newMailChannel(probes), (ids) =>
    keyTwice(probes, "mailWebhook.unsubscribeMail", ids)
  ),

  "mailWebhook.validateMailWebhook 200": ask(endpoint("mailWebhook.validateMailWebhook"), {
    query: "?validationToken=x"
  }),

  "jobs.getJob 404": ask(endpoint("jobs.getJob"), { ids: { id: "00000000-0000-4000-8000-000000000000" } }),

  "customers.updateCustomer 409": ask(endpoint("customers.updateCustomer"), {
    body: { telephonyAccountSID: "ACdemo0000globex" }
  }),

  "representatives.createCustomerRep 422": Effect.gen(function* () {
    const headers = { "idempotency-key": "one representative" }
    const createWith = (password: string) =>
      ask(endpoint("representatives.createCustomerRep"), { body: { username: "only-once", password }, headers })
    yield* createWith("Demo-Pass-1")
    return yield* createWith("Demo-Pass-2")
  }),

  "representatives.updateCustomerRep 409": ask(endpoint("representatives.updateCustomerRep"), {
    body: { username: "globex-admin" }
  }),

  "representatives.deleteCustomerRep 409": Effect.gen(function* () {
    const { json } = yield* ask(endpoint("representatives.listCustomerReps"), { query: `?search=${admin.username}` })
    const oneself = numberIn(listIn(json, "items")[0], "customerRepID")
    return yield* ask(endpoint("representatives.deleteCustomerRep"), { ids: { id: oneself } })
  }),

  // The first request waits for the locked row, so that the other one finds it still running.
  "signatures.saveSignature 409": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const save = ask(endpoint("signatures.saveSignature"), { headers: { "idempotency-key": "still running" } })
    return yield* sql`select 1 from customer_rep where customer_id = ${admin.customerID} for update`.pipe(
      Effect.zipRight(Effect.raceFirst(save, save)),
      sql.withTransaction
    )
  }),

  "signatures.deleteSignature 412": Effect.zipRight(
    ask(endpoint("signatures.saveSignature")),
    ask(endpoint("signatures.deleteSignature"), { headers: { "if-match": '"nothing"' } })
  ),

  "dataRights.getErasure 200": Effect.gen(function* () {
    const { json } = yield* ask(endpoint("endUsers.createEndUser"))
    const ids = { id: numberIn(json, "EndUserID") }
    yield* ask(endpoint("dataRights.eraseEndUser"), { ids })
    return yield* ask(endpoint("dataRights.getErasure"), { ids })
  }),

  "endUsers.findEndUsersByUid 200": ask(endpoint("endUsers.findEndUsersByUid"), { query: "?uid=maria" }),

  "files.getFile 200": download(probes, {}),
  "files.getFile 206": download(probes, { range: "bytes=0-3" }),
  "files.getFile 304": download(probes, { "if-none-match": "*" }),
  "files.getFile 400": ask(endpoint("files.getFile"), { ids: { accessToken: "%" } }),
  "files.getFile 416": download(probes, { range: "bytes=9999999-" }),

  // Comes last, as it ends the login that the other scripts use. Every reset mail has invalidated the links before it.
  "auth.resetPassword 204": Effect.gen(function* () {
    const mailer = yield* TestMailer
    yield* ask(endpoint("auth.requestPasswordReset"))
    return yield* mailer.next.pipe(
      Effect.flatMap(({ text }) =>
        ask(endpoint("auth.resetPassword"), {
          body: { token: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0], newPassword: "Demo-Pass-2" }
        })
      ),
      Effect.repeat({ until: ({ status }) => status === 204 })
    )
  })
})
