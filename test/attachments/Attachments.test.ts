import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TicketMessageAttachmentID, TicketMessageID } from "../../schema/Ids.ts"
import { aMessage } from "../files/Messages.ts"
import { samples } from "../files/Samples.ts"
import { formWith, inFolder, rawForm, tokenIn, upload } from "../files/Uploads.ts"
import { expectError } from "../http/ErrorBody.ts"
import { openSocket, parseAnswer, readToEnd } from "../http/RawRequest.ts"
import { eventually } from "../support/Eventually.ts"
import { field, numberIn } from "../support/Fields.ts"
import { clientOf, send, sendJson, tokenOf } from "../support/TestApp.ts"

const mebibyte = 1024 * 1024

const countBlobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`select count(*)::int as count from blob where customer_id = 1`
  return (yield* Effect.fromNullable(row)).count
})

// Large files go fast through a folder.
layer(inFolder, { excludeTestServices: true })("Attachments", (it) => {
  it.effect("are uploaded, listed, opened and deleted", () =>
    Effect.gen(function* () {
      const { ticketMessageAttachments: attachments } = yield* clientOf("acme-agent")
      const { messageID } = yield* aMessage(1)
      const sent = yield* upload(messageID, formWith(samples.png, "Grundriß 1.png", "image/png"))
      expect(sent.status).toBe(200)
      expect(sent.json).toMatchObject({
        messageID,
        fileName: "Grundriß 1.png",
        contentType: "image/png",
        isEndUserProvided: false,
        isCustomerRepProvided: true
      })
      const listed = yield* attachments.listAttachments({ path: { id: messageID } })
      expect(listed).toHaveLength(1)
      const [first] = listed
      if (first === undefined) return yield* Effect.dieMessage("not listed")
      expect(sent.json).toMatchObject({ accessToken: first.accessToken })
      const file = `/api/File/${first.accessToken}`
      expect((yield* send("GET", file)).status).toBe(200)

      const path = { id: messageID, attachmentId: first.ticketMessageAttachmentID }
      const before = yield* countBlobs
      yield* attachments.deleteAttachment({ path })
      expect((yield* send("GET", file)).status).toBe(404)
      expect(yield* attachments.listAttachments({ path: { id: messageID } })).toEqual([])
      expect(yield* Effect.flip(attachments.deleteAttachment({ path }))).toMatchObject({ status: 404 })
      yield* eventually(countBlobs, (count) => count === before - 1)
    })
  )

  it.effect("keep their file names, in any script", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const names = ["10€.txt", "a–b.txt", "Zustand „neu“.txt", "日本.txt", "Отчёт.txt", "😀.txt", "ä;b–50% off.txt"]
      for (const name of names) {
        const sent = yield* upload(messageID, formWith("text", name, "text/plain"))
        expect(sent.json).toMatchObject({ fileName: name })
        const opened = yield* send("GET", `/api/File/${tokenIn(sent)}`)
        expect(opened.headers.get("content-disposition")).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
      }
    })
  )

  it.effect("may be JSON, and may be named after a date or a title", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      for (const [bytes, name, type] of [
        ['{"a":1}', "a.json", "application/json"],
        [samples.pdf, "Invoice 3.12.2024", "application/pdf"],
        [samples.pdf, "Dr. Meier", "application/pdf"],
        [samples.pdf, "scan", "application/pdf"]
      ] as const) {
        const sent = yield* upload(messageID, formWith(bytes, name, type))
        expect([sent.status, sent.json]).toEqual([200, expect.objectContaining({ fileName: name, contentType: type })])
      }
      for (const name of ["run.exe", "run.appref-ms", "run.скрипт"]) {
        expect([name, (yield* upload(messageID, formWith("text", name))).status]).toEqual([name, 415])
      }
    })
  )

  it.effect("get their names from quoted, escaped and encoded forms", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      for (const [written, name] of [
        ['filename="a\\"b.txt"', 'a"b.txt'],
        ['filename="a%22b.txt"', 'a"b.txt'],
        ['filename="10€\\"x.txt"', '10€"x.txt'],
        ["filename*=UTF-8'en'%e2%82%ac.txt", "€.txt"],
        ["filename=\"plain.txt\"; filename*=utf-8''%e2%82%ac.txt", "€.txt"]
      ]) {
        const { body, headers } = rawForm(`name="file"; ${written}`, "text")
        const sent = yield* upload(messageID, body, "acme-agent", headers)
        expect([written, sent.status, field(sent.json, "fileName")]).toEqual([written, 200, name])
      }
    })
  )

  it.effect("are 403 for a foreign message and 404 for a missing one, before anything is read", () =>
    Effect.gen(function* () {
      const { ticketMessageAttachments: attachments } = yield* clientOf("globex-admin")
      const { messageID } = yield* aMessage(1)
      const own = yield* aMessage(2)
      const sent = yield* upload(messageID, formWith("text", "a.txt"))
      const attachmentId = TicketMessageAttachmentID.make(numberIn(sent.json, "ticketMessageAttachmentID"))
      const statusOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.flip(effect), (error) => numberIn(error, "status"))
      for (const [id, status] of [
        [messageID, 403],
        [TicketMessageID.make(2_000_000_000), 404]
      ] as const) {
        expect(yield* statusOf(attachments.listAttachments({ path: { id } }))).toBe(status)
        expect(yield* statusOf(attachments.deleteAttachment({ path: { id, attachmentId } }))).toBe(status)
        expectError(yield* upload(id, formWith("text", "a.txt"), "globex-admin"), status, /ticket message/)
      }
      const mine = { id: own.messageID }
      expect(yield* statusOf(attachments.deleteAttachment({ path: { ...mine, attachmentId } }))).toBe(403)
      const unknown = TicketMessageAttachmentID.make(2_000_000_000)
      expect(yield* statusOf(attachments.deleteAttachment({ path: { ...mine, attachmentId: unknown } }))).toBe(404)
      const { ticketMessageAttachments: acme } = yield* clientOf("acme-admin")
      const another = yield* aMessage(1)
      const elsewhere = acme.deleteAttachment({ path: { id: another.messageID, attachmentId } })
      expect(yield* statusOf(elsewhere)).toBe(404)
      expect(yield* acme.listAttachments({ path: { id: messageID } })).toHaveLength(1)
    })
  )

  it.effect("are 400 and leave nothing when they are empty, missing or several", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const before = yield* countBlobs
      expectError(yield* upload(messageID, formWith("", "empty.txt")), 400, /file is empty/)
      const noFile = new FormData()
      noFile.append("other", new File(["x"], "a.txt"))
      expectError(yield* upload(messageID, noFile), 400, /file is required/)
      const field = rawForm('name="file"', "text")
      expectError(yield* upload(messageID, field.body, "acme-agent", field.headers), 400, /file is required/)
      const two = formWith("one", "1.txt")
      two.append("file", new File(["two"], "2.txt"))
      expectError(yield* upload(messageID, two), 400, /given once/)
      const broken = rawForm('name="file"; filename="a.txt"', "text").body.replace("--b--", "--b")
      expectError(yield* upload(messageID, broken, "acme-agent", field.headers), 400, /form/)
      expect(yield* countBlobs).toBe(before)
      const { ticketMessageAttachments: attachments } = yield* clientOf("acme-agent")
      expect(yield* attachments.listAttachments({ path: { id: messageID } })).toEqual([])
    })
  )

  it.effect("are 413 when they are too large, by a single byte and with or without a length", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const before = yield* countBlobs
      const text = "x".repeat(25 * mebibyte)
      expectError(yield* upload(messageID, formWith(`${text}x`, "a.txt")), 413, /25 MiB/)
      expectError(yield* upload(messageID, formWith(text + text, "a.txt")), 413, /too large/)
      const token = yield* tokenOf("acme-agent")
      const socket = yield* openSocket
      socket.write(
        `POST /ticketMessages/${messageID}/attachments HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
          "Transfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n"
      )
      const chunk = (part: string) => socket.write(`${part.length.toString(16)}\r\n${part}\r\n`)
      chunk('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n')
      for (let sent = 0; sent < 30; sent += 1) chunk("x".repeat(mebibyte))
      chunk("\r\n--b--\r\n")
      socket.write("0\r\n\r\n")
      expectError(parseAnswer(yield* readToEnd(socket)), 413, /too large/)
      expect(yield* countBlobs).toBe(before)
      const largest = yield* upload(messageID, formWith(text, "a.txt"))
      expect(largest.status).toBe(200)
      const { headers } = yield* send("HEAD", `/api/File/${tokenIn(largest)}`)
      expect(headers.get("content-length")).toBe(String(25 * mebibyte))
    }).pipe(Effect.scoped)
  )

  it.effect("leave nothing when they break off", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const before = yield* countBlobs
      const token = yield* tokenOf("acme-agent")
      yield* Effect.gen(function* () {
        const socket = yield* openSocket
        socket.write(
          `POST /ticketMessages/${messageID}/attachments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            "Content-Length: 1000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n" +
            '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        )
        socket.write("x".repeat(500_000))
        yield* eventually(countBlobs, (count) => count === before + 1)
        socket.destroy()
      }).pipe(Effect.scoped)
      yield* eventually(countBlobs, (count) => count === before)
    })
  )

  it.effect("are 415 when they are programs or of unknown types, even as a .jpg", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const before = yield* countBlobs
      for (const program of [samples.elf, samples.exe, samples.machO, samples.script]) {
        for (const [name, type] of [
          ["tool.exe", "application/x-msdownload"],
          ["photo.jpg", "image/jpeg"]
        ] as const) {
          expectError(yield* upload(messageID, formWith(program, name, type)), 415, /./)
        }
      }
      expectError(yield* upload(messageID, formWith(Buffer.from([1, 2, 3, 0, 255]), "data")), 415, /not accepted/)
      expectError(yield* upload(messageID, formWith("text", "data.xyz")), 415, /\.xyz/)
      expectError(
        yield* upload(messageID, "{}", "acme-agent", { "content-type": "application/json" }),
        415,
        /multipart/
      )
      expect(yield* countBlobs).toBe(before)
    })
  )

  it.effect("have names without a path that cannot inject headers", () =>
    Effect.gen(function* () {
      const { messageID } = yield* aMessage(1)
      const nameOf = (disposition: string) =>
        Effect.gen(function* () {
          const { body, headers } = rawForm(`name="file"; ${disposition}`, "text")
          const sent = yield* upload(messageID, body, "acme-agent", headers)
          const { headers: received } = yield* send("GET", `/api/File/${tokenIn(sent)}`)
          return [field(sent.json, "fileName"), received.get("content-disposition"), received.get("x-injected")]
        })
      expect(yield* nameOf('filename="../../etc/passwd.txt"')).toEqual([
        "passwd.txt",
        'inline; filename="passwd.txt"',
        null
      ])
      expect(yield* nameOf('filename="C:\\\\temp\\\\a.txt"')).toEqual(["a.txt", 'inline; filename="a.txt"', null])
      expect(yield* nameOf("filename*=UTF-8''a%0D%0AX-Injected%3A%20yes%0D%0A.txt")).toEqual([
        "aX-Injected: yes.txt",
        'inline; filename="aX-Injected: yes.txt"',
        null
      ])
      expect(yield* nameOf("filename*=UTF-8''%E2%82%AC%20%22rates%22.txt")).toEqual([
        '€ "rates".txt',
        `inline; filename="? \\"rates\\".txt"; filename*=UTF-8''%E2%82%AC%20%22rates%22.txt`,
        null
      ])
      const { body, headers } = rawForm("name=\"file\"; filename*=UTF-8''%E0%A4%A", "text")
      expectError(yield* upload(messageID, body, "acme-agent", headers), 400, /form/)
    })
  )

  it.effect("need a login, and are deleted with their message", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { messageID } = yield* aMessage(1)
      expect((yield* sendJson("GET", `/ticketMessages/${messageID}/attachments`)).status).toBe(401)
      const sent = yield* upload(messageID, formWith("text", "a.txt"))
      const file = `/api/File/${tokenIn(sent)}`
      expect((yield* send("GET", file)).status).toBe(200)
      yield* sql`delete from ticket_message where customer_id = 1 and ticket_message_id = ${messageID}`
      expect((yield* send("GET", file)).status).toBe(404)
    })
  )
})
