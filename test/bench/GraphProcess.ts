import { Effect } from "effect"
import { GraphServer } from "../support/GraphServer.ts"
import { file, mail } from "../support/Mails.ts"

const [mails = 0, latency = 0] = process.argv.slice(2).map(Number)

const paragraph = "<p>The tap in the kitchen leaks since Monday and the bucket is full every two hours.</p>"

/** Fills a mailbox with typical content: short mails, long ones, some with pictures and large files. */
const fill = Effect.gen(function* () {
  const server = yield* GraphServer
  const mailbox = server.mailbox("support@acme.example")
  for (let index = 0; index < mails; index++) {
    const { attachments = [], fields } = mail({
      subject: `Mail ${index}`,
      from: `tenant-${index % 300}@home.example`,
      html: paragraph.repeat(1 + (index % 40)),
      attachments:
        index % 100 === 0
          ? [file("video.mp4", "video/mp4", Buffer.alloc(8 * 1024 * 1024, index))]
          : index % 20 === 0
            ? [file("photo.jpg", "image/jpeg", Buffer.alloc(200 * 1024, index))]
            : []
    })
    mailbox.add("AAMk-inbox", fields, attachments)
  }
  yield* server.set({ latency })
  process.send?.({ port: server.port, graphUrl: server.graphUrl, authorityUrl: server.authorityUrl })
  return yield* Effect.never
})

Effect.runFork(fill.pipe(Effect.provide(GraphServer.layer)))
