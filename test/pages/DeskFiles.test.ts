import { readFile } from "node:fs/promises"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { TicketID, TicketMessageID } from "../../schema/Ids.ts"
import { samples } from "../files/Samples.ts"
import { formWith, upload } from "../files/Uploads.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { focused } from "./browser/Barriers.ts"
import { Browser } from "./browser/Browser.ts"
import {
  answer,
  answersIn,
  atTheDesk,
  breakLine,
  calls,
  field,
  holdAnswer,
  loseAnswer,
  mail,
  openTicket,
  said,
  sendButton,
  settled
} from "./browser/DeskTools.ts"
import { inBrowser } from "./browser/InBrowser.ts"

const page = "<script>document.title = 'taken over'</script><p>Hello</p>"

/** Stores files that a customer sent along. */
const sentAlong = (messageID: TicketMessageID, files: ReadonlyArray<readonly [name: string, content: Uint8Array]>) =>
  Effect.gen(function* () {
    for (const [name, content] of files) {
      expect((yield* upload(messageID, formWith(content, name))).status).toBe(200)
    }
    const sql = yield* SqlClient.SqlClient
    yield* sql`update ticket_message_attachment set is_end_user_provided = true
      where customer_id = 1 and ticket_message_id = ${messageID}`
  })

const uploadCall = calls("POST", /\/attachments$/)
const listCall = calls("GET", /\/attachments$/)
const sendCall = calls("POST", /\/send$/)

const plan = { name: "plan.pdf", mimeType: "application/pdf", buffer: samples.pdf }
const photo = { name: "door.png", mimeType: "image/png", buffer: samples.png }

/** The names of the files that were sent with the answers. */
const filesOfAnswers = (ticketId: TicketID) =>
  Effect.gen(function* () {
    const { ticketMessageAttachments, ticketMessages } = yield* clientOf("acme-admin")
    const { items } = yield* ticketMessages.listTicketMessages({ urlParams: { ticketId } })
    const answers = items.filter(({ senderType }) => senderType === "CustomerRep")
    return yield* Effect.forEach(answers, ({ messageID: id }) =>
      Effect.map(ticketMessageAttachments.listAttachments({ path: { id } }), (files) =>
        files.map(({ fileName }) => fileName)
      )
    )
  })

const filesTests = () =>
  layer(Layer.merge(quietApp({ DEMO: "true", BASE_URL: "http://localhost" }), Browser.layer), {
    excludeTestServices: true
  })("Files at the desk", (it) => {
    it.scoped("are listed below their message and downloaded, never opened", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* mail("Look at this")
        const notes = Buffer.from("The radiator\n".repeat(200))
        yield* sentAlong(messageID, [
          ["notes.txt", notes],
          ["door.png", samples.png],
          ["page.html", Buffer.from(page)]
        ])
        const { complaints, page: desk } = yield* atTheDesk
        yield* Effect.promise(async () => {
          const opened: Array<string> = []
          desk.context().on("page", (other) => opened.push(other.url()))
          await desk.setViewportSize({ width: 1440, height: 560 })
          await openTicket(desk, ticketID)
          const files = desk.locator(`[data-message="${messageID}"] .file`)
          await files.filter({ hasText: "notes.txt" }).getByText("text, 3 kB", { exact: true }).waitFor()
          await files
            .filter({ hasText: "page.html" })
            .getByText(`HTML page, ${page.length} bytes`, { exact: true })
            .waitFor()
          await files
            .filter({ hasText: "door.png" })
            .getByText(/^PNG image, \d+ bytes$/)
            .waitFor()

          await desk.getByRole("button", { name: "Open door.png" }).waitFor()
          await settled(desk)
          // The files came after the message, whose first line stays in view all the same.
          const [view, message] = await desk
            .locator(".talk .scroll, .message")
            .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect()))
          expect([(view?.height ?? 0) < (message?.height ?? 0), (view?.y ?? 0) <= (message?.y ?? 0)]).toEqual([
            true,
            true
          ])
          await desk.getByRole("button", { name: "Open door.png" }).click()
          await desk.getByRole("dialog", { name: "door.png" }).getByRole("img").waitFor()
          await desk.getByRole("dialog").getByRole("button", { name: "Close" }).click()

          for (const [name, content] of [
            ["notes.txt", notes.toString()],
            ["page.html", page]
          ] as const) {
            const [download] = await Promise.all([
              desk.waitForEvent("download"),
              desk.getByRole("button", { name: `Download ${name}` }).click()
            ])
            expect(download.suggestedFilename()).toBe(name)
            expect(download.url()).toMatch(/^blob:/)
            expect(await readFile(await download.path(), "utf8")).toBe(content)
          }
          expect([opened, await desk.title()]).toEqual([[], `#${ticketID} Desk · Casework`])
        })
        expect(complaints).toEqual([])
      })
    )

    it.scoped("say so when they do not load", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* mail("And this")
        yield* sentAlong(messageID, [["notes.txt", Buffer.from("The radiator")]])
        const { page: desk } = yield* atTheDesk
        yield* Effect.promise(async () => {
          const list = await breakLine(desk, listCall)
          const file = await breakLine(desk, calls("GET", /^\/api\/File\//))
          await openTicket(desk, ticketID)
          await desk.getByText("Could not load the files.").waitFor()
          list.mend()
          // Clicks only if the desk has not just asked by itself, as it does when something happens.
          await desk.evaluate("document.querySelector('.files-note button')?.click()")
          const card = desk.locator(".file").filter({ hasText: "notes.txt" })
          await card.getByText("Could not load the file. The service cannot be reached.").waitFor()
          file.mend()
          await Promise.all([desk.waitForEvent("download"), card.getByRole("button").click()])
          await card.getByText("Could not load the file").waitFor({ state: "hidden" })
        })
      })
    )

    it.scoped("keep the keyboard focus in place when they are saved or removed", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* mail("Is this the plan?")
        yield* sentAlong(messageID, [["notes.txt", Buffer.from("The radiator")]])
        const { page: desk } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(desk, ticketID)
          await desk.locator(".file").getByText("text, 12 bytes", { exact: true }).waitFor()
          const held = await holdAnswer(desk, calls("GET", /^\/api\/File\//))
          const download = desk.waitForEvent("download")
          await desk.getByRole("button", { name: "Download notes.txt" }).press("Enter")
          await held.asked
          await settled(desk)
          expect(await focused(desk)).toBe("Download notes.txt")
          held.letGo()
          await download
          expect(await focused(desk)).toBe("Download notes.txt")

          await desk.getByLabel("Files to attach").setInputFiles([plan, photo])
          await desk.getByRole("button", { name: "Remove plan.pdf" }).press("Enter")
          await desk.getByRole("button", { name: "Remove plan.pdf" }).waitFor({ state: "detached" })
          expect(await focused(desk)).toBe("Remove door.png")
          await desk.keyboard.press("Enter")
          await desk.locator(".reply .file").waitFor({ state: "detached" })
          expect(await focused(desk)).toBe("Attach files")
        })
      })
    )

    it.scoped("are sent with an answer once, even if the connection breaks twice", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("Where is the door?")
        const { complaints, page: desk } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(desk, ticketID)
          await desk.getByLabel("Files to attach").setInputFiles([plan, photo, { ...plan, name: "not.pdf" }])
          await desk.getByRole("button", { name: "Remove not.pdf" }).click()
          await field(desk).fill("See the plan")
          await loseAnswer(desk, uploadCall)
          await sendButton(desk).click()
          await desk.getByText("plan.pdf could not be uploaded, and nothing was sent.").waitFor()
        })
        expect(yield* answersIn(ticketID)).toEqual([])
        yield* Effect.promise(async () => {
          await loseAnswer(desk, sendCall)
          await sendButton(desk).click()
          await desk
            .locator(".reply .problem")
            .getByText(/^The service cannot be reached/)
            .waitFor()
          await said(desk, "See the plan")
          await sendButton(desk).click()
          await desk.getByText("Sent.", { exact: true }).waitFor()
          await desk.locator(".outbound .file").filter({ hasText: "plan.pdf" }).waitFor()
          expect(await desk.locator(".inbound .file, .reply .file").count()).toBe(0)
        })
        expect(yield* answersIn(ticketID)).toEqual(["See the plan"])
        expect(yield* filesOfAnswers(ticketID)).toEqual([["plan.pdf", "door.png"]])
        expect(complaints).toEqual([])
      })
    )

    it.scoped("are sent or left out as the desk shows, even if it missed that one had arrived", () =>
      Effect.gen(function* () {
        for (const [which, files] of [
          ["first", ["plan.pdf"]],
          ["last", []]
        ] as const) {
          const { ticketID } = yield* mail(`Which plan, the ${which}?`)
          const { page: desk } = yield* atTheDesk
          yield* Effect.promise(async () => {
            await openTicket(desk, ticketID)
            await desk.getByLabel("Files to attach").setInputFiles([plan])
            await field(desk).fill("This one")
            await loseAnswer(desk, uploadCall)
            await sendButton(desk).click()
            await desk.getByText("plan.pdf could not be uploaded, and nothing was sent.").waitFor()
            // One card is the file that the service has, the other the file that is to be sent.
            const cards = desk.locator(".reply .file")
            await cards.nth(1).waitFor()
            await cards[which]().getByRole("button", { name: "Remove plan.pdf" }).click()
            await cards.nth(files.length).waitFor({ state: "detached" })
            await sendButton(desk).click()
            await desk.getByText("Sent.", { exact: true }).waitFor()
          })
          expect(yield* answersIn(ticketID)).toEqual(["This one"])
          expect(yield* filesOfAnswers(ticketID)).toEqual([files])
        }
      })
    )

    it.scoped("can be removed when the service refuses them, and the answer is sent without them", () =>
      Effect.gen(function* () {
        const { ticketID } = yield* mail("What is it called?")
        const { page: desk } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(desk, ticketID)
          await desk.getByLabel("Files to attach").setInputFiles([{ ...plan, name: "plan.xyz" }])
          await field(desk).fill("Plan")
          await sendButton(desk).click()
          await desk.getByText("plan.xyz could not be uploaded, and nothing was sent.").waitFor()
          await desk.getByRole("button", { name: "Remove plan.xyz" }).click()
          await desk.locator(".reply .file").waitFor({ state: "detached" })
          await sendButton(desk).click()
          await desk.getByText("Sent.", { exact: true }).waitFor()
        })
        expect(yield* filesOfAnswers(ticketID)).toEqual([[]])
      })
    )

    it.scoped("stay with their author when a colleague answers first, and are not dropped silently", () =>
      Effect.gen(function* () {
        const { messageID, ticketID } = yield* mail("Is there a plan?")
        const { page: desk } = yield* atTheDesk
        yield* Effect.promise(async () => {
          await openTicket(desk, ticketID)
          await desk.getByLabel("Files to attach").setInputFiles([plan])
          await field(desk).fill("Here it is")
        })
        yield* answer(messageID, "No")
        yield* Effect.promise(async () => {
          await desk.getByText("has already replied").waitFor()
          await sendButton(desk).click()
          await desk.getByText("Press Send again").waitFor()
          await sendButton(desk).click()
          await desk.getByText("Files can only be sent in reply to a message").waitFor()
        })
        expect(yield* answersIn(ticketID)).toEqual(["No"])
        yield* Effect.promise(async () => {
          await desk.getByRole("button", { name: "Remove plan.pdf" }).press("Enter")
          // There is nothing left to attach files to.
          await desk.locator("#answer:focus").waitFor()
          await sendButton(desk).click()
          await desk.getByText("Sent.", { exact: true }).waitFor()
        })
        expect(yield* answersIn(ticketID)).toEqual(["No", "Here it is"])
        expect(yield* filesOfAnswers(ticketID)).toEqual([[], []])
      })
    )
  })

inBrowser("Files at the desk", filesTests)
