import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelCreate } from "../../schema/Channels.ts"
import type { ChannelID } from "../../schema/Ids.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import { mailApp, messagesOf } from "../support/MailApp.ts"
import { clientOf } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { messageEvents, newMessage, readMessage } from "../ticketMessages/MessageTools.ts"

const credentials = {
  overrideMailProviderTenantID: simulatedCredentials.tenantID,
  overrideMailProviderClientID: simulatedCredentials.clientID,
  overrideMailProviderClientSecret: simulatedCredentials.clientSecret
}

const address = "half@acme.example"

const newChannel = (settings: Omit<ChannelCreate, "channelType" | "name" | "isActive">) =>
  Effect.flatMap(clientOf("acme-admin"), ({ channels }) =>
    channels.createChannel({ payload: { channelType: "Email", name: "Half", isActive: true, ...settings } })
  )

/** A question on a channel, and its answer once delivery has ended. */
const answered = (channelID: ChannelID) =>
  Effect.gen(function* () {
    const { ticketMessages } = yield* clientOf("acme-agent")
    const { messageID, ticketID } = yield* newMessage({ channelID, fromAddress: "tenant@home.example" })
    const send = ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "We come." } })
    const outcome = eventually(
      Effect.map(messagesOf(ticketID), (all) => all.at(-1)),
      (last) => last?.senderType === "CustomerRep" && last.status !== "Queued"
    )
    yield* send
    const answer = yield* Effect.flatMap(outcome, Effect.fromNullable)
    const { automation } = yield* clientOf("acme-agent")
    const { entries } = yield* automation.getMessageTrace({ path: { id: answer.messageID } })
    return { answer, messageID, outcome, send, story: JSON.stringify(entries) }
  })

layer(mailApp(), { excludeTestServices: true })("An answer from a half-configured mailbox", (it) => {
  it.effect("is kept, says what is missing, and leaves from the mailbox once that is configured", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const mailer = yield* TestMailer
      const { channels } = yield* clientOf("acme-admin")
      const { overrideMailProviderClientSecret, ...withoutSecret } = credentials
      const half = { emailAddress: address, overrideMailProviderAuthorityURL: server.authorityUrl, ...withoutSecret }
      const { channelID } = yield* newChannel({ emailAddress: address, ...withoutSecret })
      const { answer, messageID, outcome, send, story } = yield* answered(channelID)
      expect(story).toContain("Failed: The mail provider is not configured: set mailProviderClientSecret")
      expect(yield* messageEvents(answer.messageID)).toEqual(["MessageAdded", "SendFailed"])
      expect((yield* readMessage(messageID)).status).toBe("Failed")

      yield* channels.updateChannel({
        path: { id: channelID },
        payload: { ...half, overrideMailProviderClientSecret }
      })
      yield* send
      yield* eventually(outcome, (last) => last?.status === "Sent")
      expect([...server.mailbox(address).messages.values()].map(({ folderID }) => folderID)).toEqual(["AAMk-sent"])
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("is also kept when the mailbox has no address", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const mailer = yield* TestMailer
      const { channelID } = yield* newChannel({
        ...credentials,
        overrideMailProviderAuthorityURL: server.authorityUrl
      })
      const { story } = yield* answered(channelID)
      expect(story).toMatch(/Failed: [^"]*emailAddress/)
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("leaves through the service's own mailer when no mail provider is configured at all", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      for (const settings of [
        {},
        { emailAddress: address },
        { emailAddress: address, overrideMailProviderScope: "https://graph.microsoft.com/.default" }
      ]) {
        const { channelID } = yield* newChannel(settings)
        expect((yield* answered(channelID)).answer.status).toBe("Sent")
        expect(yield* mailer.next).toMatchObject({ to: "tenant@home.example" })
      }
    })
  )
})
