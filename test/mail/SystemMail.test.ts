import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { JobID } from "../../schema/Jobs.ts"
import { CustomerProfileRepo } from "../../src/customers/CustomerProfileRepo.ts"
import { CustomerSettings } from "../../src/customers/CustomerSettings.ts"
import { Mailboxes } from "../../src/mail/Mailboxes.ts"
import { MicrosoftGraph } from "../../src/mail/MicrosoftGraph.ts"
import { SystemMailLive } from "../../src/mail/SystemMailLive.ts"
import { GuardedHttpClient } from "../../src/platform/outbound/Outbound.ts"
import { ClaimLost, CurrentClaim, isClaimLost } from "../../src/platform/queue/JobClaim.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { confidential } from "../../src/platform/systemMail/Mailer.ts"
import { SystemMail } from "../../src/platform/systemMail/SystemMail.ts"
import { fire, freshHook, onHook } from "../automation/AutomationTools.ts"
import { eventually } from "../support/Eventually.ts"
import { field, listIn, textIn } from "../support/Fields.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import {
  mailApp,
  messagesOf,
  newMailChannel,
  settled,
  subscribedChannel,
  ticketsArrive,
  ticketsOf
} from "../support/MailApp.ts"
import { mail } from "../support/Mails.ts"
import { clientOf, sendJson, testApp } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"

const requestReset = (email: string) => sendJson("POST", "/api/Auth/request-password-reset", { body: { email } })

const address = "support@acme.example"

const configure = (clientSecret: string | null) =>
  Effect.gen(function* () {
    const { customers } = yield* clientOf("acme-admin")
    const { authorityUrl } = yield* GraphServer
    yield* customers.updateCustomer({
      payload: {
        mailProviderTenantID: simulatedCredentials.tenantID,
        mailProviderClientID: simulatedCredentials.clientID,
        mailProviderClientSecret: clientSecret,
        mailProviderAuthorityURL: authorityUrl
      }
    })
  })

const subjectsIn = Effect.map(GraphServer, ({ mailbox }) =>
  mailbox(address).unkept.map((one) => [
    textIn(one, "subject"),
    textIn(field(listIn(one, "toRecipients")[0], "emailAddress"), "address")
  ])
)

const systemMailLayer = SystemMailLive.pipe(
  Layer.provide(Mailboxes.layer),
  Layer.provide([
    CustomerSettings.layer.pipe(Layer.provide(CustomerProfileRepo.layer), Layer.provide(Secrets.layer)),
    Secrets.layer,
    MicrosoftGraph.pipe(Layer.provide(GuardedHttpClient.layer))
  ])
)

layer(mailApp({}, testApp), { excludeTestServices: true })("System mail", (it) => {
  it.effect("leaves through the mailer as long as the customer has no mail provider", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      expect((yield* requestReset("agent@acme.example")).status).toBe(200)
      expect(yield* mailer.next).toMatchObject({ to: "agent@acme.example", subject: "Set a new password" })
      expect(yield* subjectsIn).toEqual([])
    })
  )

  it.effect("leaves from the customer's mailbox when it has one, without keeping copies there", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const server = yield* GraphServer
      yield* configure(simulatedCredentials.clientSecret)
      yield* requestReset("agent@acme.example")
      yield* eventually(subjectsIn, (sent) => sent.length === 1)
      const { messageID } = yield* newMessage({ message: "Zzz", subject: "Odd noise" })
      const hookName = freshHook()
      yield* onHook(hookName, { operation: "NotifyEmail", parameters: { to: "boss@acme.example" } })
      yield* fire(hookName, messageID)
      yield* eventually(subjectsIn, (sent) => sent.length === 2)
      const { ticketMessages } = yield* clientOf("acme-agent")
      yield* ticketMessages.escalateMessage({ path: { id: messageID }, payload: { email: "lead@acme.example" } })
      const sent = yield* eventually(subjectsIn, ({ length }) => length === 3)
      expect(sent).toEqual([
        ["Set a new password", "agent@acme.example"],
        [expect.stringContaining("Odd noise"), "boss@acme.example"],
        [expect.stringContaining("needs a person"), "lead@acme.example"]
      ])
      expect(server.mailbox(address).messages.size).toBe(0)
      expect(yield* mailer.count).toBe(0)
    })
  )

  it.effect("that resets a password does not leave with credentials that a representative gave a channel", () =>
    Effect.gen(function* () {
      const [mailer, server] = [yield* TestMailer, yield* GraphServer]
      const { channels } = yield* clientOf("globex-admin")
      const { address: elsewhere, channelID } = yield* newMailChannel("globex-admin")
      expect((yield* requestReset("admin@globex.example")).status).toBe(200)
      yield* eventually(
        Effect.map(mailer.count, (count) => count + server.mailbox(elsewhere).unkept.length),
        (sent) => sent === 1
      )
      expect(server.mailbox(elsewhere).unkept).toEqual([])
      expect(yield* mailer.next).toMatchObject({ to: "admin@globex.example", subject: "Set a new password" })
      yield* channels.deleteChannel({ path: { id: channelID } })
    })
  )

  it.effect("that resets a password becomes no ticket in a mailbox that the service reads", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, address: read } = yield* subscribedChannel
      const before = (yield* subjectsIn).length
      yield* requestReset("agent@acme.example")
      yield* eventually(subjectsIn, ({ length }) => length > before)
      const reset = server.mailbox(address).unkept.at(-1)
      expect(textIn(reset, "subject")).toBe("Set a new password")
      const [header] = listIn(reset, "internetMessageHeaders").filter(
        (one) => textIn(one, "name") === confidential.name
      )
      const subject = "Set a new password"
      const marked = { [textIn(header, "name")]: textIn(header, "value") }
      yield* server.arrive(read, mail({ messageId: textIn(reset, "internetMessageId"), subject }))
      // Some mail servers replace the Message-ID, of which one keeps the first.
      yield* server.arrive(read, mail({ headers: marked, subject }))
      const original = { "x-microsoft-original-message-id": textIn(reset, "internetMessageId") }
      yield* server.arrive(read, mail({ headers: original, subject }))
      yield* server.arrive(read, mail({ subject: "A question" }))
      const arrived = yield* ticketsArrive(channelID, 1)
      yield* settled(channelID)
      expect(arrived.map(({ subject }) => subject)).toEqual(["A question"])
      expect(yield* ticketsOf(channelID)).toHaveLength(1)
    })
  )

  it.effect("that resets a password leads nobody to the reset when a mail quotes it", () =>
    Effect.gen(function* () {
      const server = yield* GraphServer
      const { channelID, address: read } = yield* subscribedChannel
      const token = "0b0c6d5e-51c2-4f0c-9a55-0d1b1f1f2f3f"
      const link = `https://casework.example/reset-password?token=${token}`
      const around = encodeURIComponent(`https://safe.example/?url=${encodeURIComponent(link)}`)
      const source = `https://casework.example/reset-password?=\r\ntoken=3D${token}`
      const html = `<p>Was that you?</p><a href="https://safe.example/?url=${around}">${link}</a><pre>${source}</pre>`
      yield* server.arrive(read, mail({ subject: "Fwd: Set a new password", html }))
      const [ticket] = yield* ticketsArrive(channelID, 1)
      const [message] = yield* messagesOf((yield* Effect.fromNullable(ticket)).ticketID)
      expect(message?.htmlBody).toContain("Was that you?")
      expect(message?.htmlBody).toContain("reset-password?token=…")
      expect(JSON.stringify(message)).not.toContain(token)
    })
  )

  it.effect("does not leave from a node that has lost its claim to another", () =>
    Effect.gen(function* () {
      const before = yield* subjectsIn
      const jobID = JobID.make("00000000-0000-4000-8000-000000000001")
      const lost = Effect.die(new ClaimLost({ jobID }))
      const claim = {
        jobID,
        number: 1,
        isLast: false,
        askedAt: new Date(),
        ageSeconds: 0,
        isCrowded: () => false,
        advance: () => lost,
        confirm: lost,
        confirmNow: lost,
        write: () => lost
      }
      const late = { to: "late@acme.example", subject: "Too late", text: "Too late" }
      const exit = yield* Effect.flatMap(SystemMail, ({ send }) => send(CustomerID.make(1), late)).pipe(
        Effect.provideService(CurrentClaim, claim),
        Effect.provide(systemMailLayer),
        Effect.exit
      )
      expect(Exit.isFailure(exit) && isClaimLost(exit.cause)).toBe(true)
      expect(yield* subjectsIn).toEqual(before)
    })
  )

  it.effect("leaves through the mailer when the provider refuses, so that nobody stays locked out", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      yield* configure("wrong")
      yield* requestReset("agent@acme.example")
      // A mail that waited for a better setup may leave first.
      const mail = yield* Effect.repeat(mailer.next, { until: ({ to }) => to === "agent@acme.example" })
      expect(mail).toMatchObject({ subject: "Set a new password" })
    })
  )
})
