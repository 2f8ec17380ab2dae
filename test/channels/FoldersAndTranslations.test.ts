import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type ChannelFolderID, ChannelID } from "../../schema/Ids.ts"
import { fieldsOf } from "../support/Fields.ts"
import { roundIsOver } from "../support/MailApp.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"

const newChannel = (channelType: "Email" | "Chat", username = "acme-admin") =>
  Effect.flatMap(clientOf(username), ({ channels }) =>
    channels.createChannel({ payload: { channelType, name: channelType, isActive: true } })
  )

const resolve = (query: Readonly<Record<string, string>>) =>
  sendJson("GET", `/api/ChannelTranslations/resolve?${new URLSearchParams(query)}`)

layer(testApp(), { excludeTestServices: true })("Folders and translations of a channel", (it) => {
  it.effect("folders are created, read, listed, changed and deleted", () =>
    Effect.gen(function* () {
      const { channelFolders } = yield* clientOf("acme-admin")
      // The next round of mail work would change a folder that retrieves mail, so the test starts right after one.
      yield* roundIsOver
      const { channelID, customerID } = yield* newChannel("Email")
      const folder = yield* channelFolders.createChannelFolder({ payload: { channelID, name: " Invoices " } })
      expect(folder).toMatchObject({
        channelID,
        customerID,
        name: "Invoices",
        type: "Custom",
        parentFolderID: null,
        externalFolderID: null,
        autoRetrieveEmails: false,
        subscriptionID: null,
        subscriptionExpiresUtc: null,
        lastNotificationUtc: null,
        lastSyncUtc: null,
        lastError: null,
        failedMessages: 0
      })
      const path = { id: folder.folderID }
      const list = channelFolders.listChannelFolders({ path: { id: channelID } })
      expect(yield* list).toEqual([folder])
      const payload = { type: "Inbox", externalFolderID: "AAMk1", autoRetrieveEmails: true }
      yield* channelFolders.updateChannelFolder({ path, payload })
      expect(yield* channelFolders.getChannelFolder({ path })).toEqual({ ...folder, ...payload })
      yield* channelFolders.updateChannelFolder({ path, payload: { type: null } })
      expect(yield* channelFolders.getChannelFolder({ path })).toEqual({ ...folder, ...payload, type: "Custom" })

      yield* channelFolders.deleteChannelFolder({ path })
      for (const gone of [
        channelFolders.getChannelFolder({ path }),
        channelFolders.deleteChannelFolder({ path }),
        channelFolders.updateChannelFolder({ path, payload })
      ]) {
        expect(yield* Effect.flip(Effect.asVoid(gone))).toMatchObject({ status: 404 })
      }
      expect(yield* list).toEqual([])
    })
  )

  it.effect("folders are deleted with their channel, and cannot move to another one", () =>
    Effect.gen(function* () {
      const { channelFolders, channels } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const [one, other] = [yield* newChannel("Email"), yield* newChannel("Email")]
      const { folderID } = yield* channelFolders.createChannelFolder({
        payload: { channelID: one.channelID, name: "Inbox" }
      })
      const body = { channelID: other.channelID }
      expect((yield* sendJson("PUT", `/api/ChannelFolders/${folderID}`, { token, body })).status).toBe(204)
      const path = { id: folderID }
      expect(yield* channelFolders.getChannelFolder({ path })).toMatchObject({ channelID: one.channelID })
      yield* channels.deleteChannel({ path: { id: one.channelID } })
      expect(yield* Effect.flip(channelFolders.getChannelFolder({ path }))).toMatchObject({ status: 404 })
      const list = channelFolders.listChannelFolders({ path: { id: one.channelID } })
      expect(yield* Effect.flip(list)).toMatchObject({ status: 404 })
    })
  )

  it.effect("folders can lie only below other folders of the same channel", () =>
    Effect.gen(function* () {
      const { channelFolders } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const [{ channelID }, other] = [yield* newChannel("Email"), yield* newChannel("Email")]
      const below = (name: string, parentFolderID?: ChannelFolderID, inChannel = channelID) =>
        channelFolders.createChannelFolder({
          payload: { channelID: inChannel, name, ...(parentFolderID !== undefined && { parentFolderID }) }
        })
      const top = yield* below("top")
      const middle = yield* below("middle", top.folderID)
      const bottom = yield* below("bottom", middle.folderID)
      const elsewhere = yield* below("elsewhere", undefined, other.channelID)
      for (const parentFolderID of [
        top.folderID,
        middle.folderID,
        bottom.folderID,
        elsewhere.folderID,
        2_000_000_000
      ]) {
        const put = refusedPaths("PUT", `/api/ChannelFolders/${top.folderID}`, token, { parentFolderID })
        expect([parentFolderID, yield* put]).toEqual([parentFolderID, ["parentFolderID"]])
      }
      yield* channelFolders.deleteChannelFolder({ path: { id: top.folderID } })
      const moved = yield* channelFolders.getChannelFolder({ path: { id: middle.folderID } })
      expect(moved.parentFolderID).toBeNull()
    })
  )

  it.effect("folders that move below each other at once make no circle", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { channelFolders } = yield* clientOf("acme-admin")
      const { channelID } = yield* newChannel("Email")
      const made = (name: string) => channelFolders.createChannelFolder({ payload: { channelID, name } })
      for (const round of Array.from({ length: 10 }, (_, index) => index)) {
        const [left, right] = [yield* made(`left ${round}`), yield* made(`right ${round}`)]
        const below = ([folder, parent]: readonly [typeof left, typeof right]) =>
          sendJson("PUT", `/api/ChannelFolders/${folder.folderID}`, {
            token,
            body: { parentFolderID: parent.folderID }
          })
        const pairs = [[left, right] as const, [right, left] as const]
        const answers = yield* Effect.forEach(pairs, below, { concurrency: 2 })
        expect(answers.map(({ status }) => status).sort()).toEqual([204, 400])
      }
    })
  )

  it.effect("folders and translations of a foreign or missing channel are refused", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const foreign = yield* newChannel("Email", "globex-admin")
      for (const channelID of [foreign.channelID, ChannelID.make(2_000_000_000)]) {
        const folder = refusedPaths("POST", "/api/ChannelFolders", token, { channelID, name: "x" })
        expect(yield* folder).toEqual(["channelID"])
        const translation = refusedPaths("POST", "/api/ChannelTranslations", token, { channelID, lang: "en" })
        expect(yield* translation).toEqual(["channelID"])
      }
      expect(yield* refusedPaths("POST", "/api/ChannelFolders", token, {})).toEqual(["channelID", "name"])
      expect(yield* refusedPaths("POST", "/api/ChannelTranslations", token, {})).toEqual(["channelID", "lang"])
    })
  )

  it.effect("two folders of a channel cannot be the same provider folder", () =>
    Effect.gen(function* () {
      const { channelFolders } = yield* clientOf("acme-admin")
      const { channelID } = yield* newChannel("Email")
      const payload = { channelID, name: "Inbox", externalFolderID: "AAMk" }
      yield* channelFolders.createChannelFolder({ payload })
      expect(yield* Effect.flip(channelFolders.createChannelFolder({ payload }))).toMatchObject({ status: 409 })
      const { folderID } = yield* channelFolders.createChannelFolder({ payload: { channelID, name: "Other" } })
      const change = channelFolders.updateChannelFolder({
        path: { id: folderID },
        payload: { externalFolderID: "AAMk" }
      })
      expect(yield* Effect.flip(change)).toMatchObject({ status: 409 })
    })
  )

  it.effect("translations are created, read, listed, changed and deleted", () =>
    Effect.gen(function* () {
      const { channelTranslations } = yield* clientOf("acme-admin")
      const { channelID } = yield* newChannel("Chat")
      const payload = { channelID, lang: "de-AT", chatTitle: "Servus", yesText: "" }
      const translation = yield* channelTranslations.createChannelTranslation({ payload })
      expect(translation).toMatchObject({
        channelID,
        lang: "de-AT",
        chatTitle: "Servus",
        yesText: null,
        agentJoin: null
      })
      expect(yield* Effect.flip(channelTranslations.createChannelTranslation({ payload }))).toMatchObject({
        status: 409
      })
      const path = { id: translation.channelTranslationID }
      yield* channelTranslations.updateChannelTranslation({
        path,
        payload: { lang: "de", chatTitle: null, succesfulSubmission: "Danke" }
      })
      const changed = { ...translation, lang: "de", chatTitle: null, succesfulSubmission: "Danke" }
      expect(yield* channelTranslations.getChannelTranslation({ path })).toEqual(changed)
      expect(yield* channelTranslations.listChannelTranslations({ path: { id: channelID } })).toEqual([changed])
      const other = yield* channelTranslations.createChannelTranslation({ payload: { channelID, lang: "en" } })
      const twin = channelTranslations.updateChannelTranslation({
        path: { id: other.channelTranslationID },
        payload: { lang: "de" }
      })
      expect(yield* Effect.flip(twin)).toMatchObject({ status: 409 })
      yield* channelTranslations.deleteChannelTranslation({ path })
      expect(yield* Effect.flip(channelTranslations.getChannelTranslation({ path }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("translations are deleted with their channel", () =>
    Effect.gen(function* () {
      const { channels, channelTranslations } = yield* clientOf("acme-admin")
      const { channelID } = yield* newChannel("Chat")
      const { channelTranslationID } = yield* channelTranslations.createChannelTranslation({
        payload: { channelID, lang: "de" }
      })
      yield* channels.deleteChannel({ path: { id: channelID } })
      const token = yield* tokenOf("acme-admin")
      for (const [method, body] of [["GET"], ["PUT", { chatTitle: "Hallo" }], ["DELETE"]] as const) {
        const { status } = yield* sendJson(method, `/api/ChannelTranslations/${channelTranslationID}`, { token, body })
        expect([method, status]).toEqual([method, 404])
      }
    })
  )

  it.effect("a chat window reads its texts by token, with fallbacks for missing ones", () =>
    Effect.gen(function* () {
      const { channels, channelTranslations } = yield* clientOf("acme-admin")
      const [chat, fallback] = [yield* newChannel("Chat"), yield* newChannel("Chat")]
      yield* channels.updateChannel({
        path: { id: fallback.channelID },
        payload: { isDefaultTranslationChannel: true }
      })
      const translate = (channelID: ChannelID, lang: string, texts: object) =>
        channelTranslations.createChannelTranslation({ payload: { channelID, lang, ...texts } })
      yield* translate(chat.channelID, "de-CH", { chatTitle: "Grüezi" })
      yield* translate(chat.channelID, "de", { chatTitle: "Hallo", yesText: "Ja" })
      yield* translate(fallback.channelID, "de", { chatTitle: "nicht", noText: "Nein" })
      yield* translate(fallback.channelID, "en", { youText: "Me" })

      const swiss = yield* resolve({ token: chat.token, lang: "DE-ch" })
      expect(swiss).toMatchObject({
        status: 200,
        json: { chatTitle: "Grüezi", yesText: "Ja", noText: "Nein", sendButtonText: "Send", youText: "You" }
      })
      const plain = yield* resolve({ token: chat.token.toUpperCase() })
      expect(plain).toMatchObject({ status: 200, json: { youText: "Me", chatTitle: "Chat with us" } })
      expect(Object.keys(fieldsOf(plain.json))).toHaveLength(12)

      const mail = yield* newChannel("Email")
      yield* channels.deleteChannel({ path: { id: fallback.channelID } })
      for (const token of [mail.token, fallback.token, "00000000-0000-4000-8000-000000000000", "no guid", ""]) {
        expect([token, (yield* resolve({ token })).status]).toEqual([token, 404])
      }
      expect((yield* resolve({ token: chat.token, lang: "not a language" })).status).toBe(400)
      expect(yield* resolve({ token: chat.token, lang: "" })).toMatchObject({ status: 200, json: { noText: "No" } })
      expect((yield* resolve({})).status).toBe(400)
      const withoutDefault = yield* resolve({ token: chat.token, lang: "de" })
      expect(withoutDefault.json).toMatchObject({ yesText: "Ja", noText: "No" })
    })
  )
})
