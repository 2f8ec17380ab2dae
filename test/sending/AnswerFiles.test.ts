import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { formWith, upload } from "../files/Uploads.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { mailApp, messagesOf, subscribedChannel, ticketsArrive } from "../support/MailApp.ts"
import { file, mail } from "../support/Mails.ts"
import { clientOf } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"

const text = (size: number, letter: string) => letter.repeat(size)

layer(mailApp(), { excludeTestServices: true })("An answer with files", (it) => {
  it.effect(
    "takes along the files that representatives attached, small and large, once each, but not the end user's",
    () =>
      Effect.gen(function* () {
        const server = yield* GraphServer
        const { address, channelID, mailbox } = yield* subscribedChannel
        yield* server.arrive(
          address,
          mail({
            subject: "Tap",
            attachments: [
              file("tap.txt", "text/plain", Buffer.from("drip")),
              // An inline picture of the question, which the answer quotes, has the same name as one of our files.
              file("plan.txt", "text/plain", Buffer.from("quoted"), "plan")
            ]
          })
        )
        const [ticket] = yield* ticketsArrive(channelID, 1)
        const ticketID = yield* Effect.fromNullable(ticket?.ticketID)
        const [question] = yield* messagesOf(ticketID)
        const id = yield* Effect.fromNullable(question?.messageID)
        const files = [
          ["offer.txt", 2000, "a"],
          ["offer.txt", 3000, "b"],
          ["plan.txt", 3_600_000, "c"]
        ] as const
        for (const [name, size, letter] of files) {
          expect((yield* upload(id, formWith(text(size, letter), name, "text/plain"))).status).toBe(200)
        }
        // The first attempt dies between two files, the second one in the middle of a file.
        yield* server.set({ cutUploads: 1, cutPieces: 1 })
        const { ticketMessageAttachments, ticketMessages } = yield* clientOf("acme-agent")
        yield* ticketMessages.sendReply({ path: { id }, payload: { modifiedAnswer: "Here is our offer." } })
        const all = yield* eventually(messagesOf(ticketID), (messages) =>
          messages.some(({ status }) => status === "Sent")
        )
        yield* server.set()
        const sent = [...mailbox.messages.values()].filter(({ folderID }) => folderID === "AAMk-sent")
        expect(sent).toHaveLength(1)
        expect(sent[0]?.attachments.map(({ bytes, name }) => [name, bytes.length, bytes.toString()[0]])).toEqual([
          ["plan.txt", 6, "q"],
          ...files.map(([name, size, letter]) => [name, size, letter])
        ])
        expect(server.state.uploads.size).toBeGreaterThan(0)
        const answer = yield* Effect.fromNullable(all.find(({ senderType }) => senderType === "CustomerRep"))
        expect(answer.hasAttachment).toBe(true)
        const kept = yield* ticketMessageAttachments.listAttachments({ path: { id: answer.messageID } })
        expect(kept.map(({ fileName, isCustomerRepProvided }) => [fileName, isCustomerRepProvided])).toEqual(
          files.map(([name]) => [name, true])
        )
      })
  )

  it.effect("takes its files along through the mailer, too, when there is no mail provider", () =>
    Effect.gen(function* () {
      const mailer = yield* TestMailer
      const { messageID } = yield* newMessage()
      yield* upload(messageID, formWith("price list", "prices.txt", "text/plain"))
      const { ticketMessages } = yield* clientOf("acme-agent")
      yield* ticketMessages.sendReply({ path: { id: messageID }, payload: { modifiedAnswer: "See the list." } })
      const { files = [] } = yield* mailer.next
      expect(files.map(({ contentType, fileName }) => [fileName, contentType])).toEqual([["prices.txt", "text/plain"]])
    })
  )
})
