import { createServer, type Socket } from "node:net"
import { Effect, Queue } from "effect"
import { portOf } from "./Listening.ts"

export interface ReceivedMail {
  readonly from: string
  readonly to: string
  readonly data: string
}

/** Speaks just enough SMTP to receive mail on one connection. */
const serve = (
  socket: Socket,
  refuse: () => boolean,
  take: (mail: ReceivedMail) => void,
  hold: (respond: () => void) => void
) => {
  let [from, to, data, inData] = ["", "", "", false]
  let unread = ""
  const answer = (line: string) => socket.write(`${line}\r\n`)
  const onLine = (line: string) => {
    if (inData) {
      if (line !== ".") {
        data += `${line.replace(/^\./, "")}\n`
        return
      }
      inData = false
      if (/^Subject: spam$/m.test(data)) answer("554 5.7.1 this server may not send")
      else if (/^Subject: broken$/m.test(data)) answer("554 5.6.0 not a message")
      else {
        take({ from, to, data })
        if (/^Subject: cut$/m.test(data)) socket.destroy()
        else if (/^Subject: slow$/m.test(data)) hold(() => answer("250 taken"))
        else answer("250 taken")
      }
    } else if (/^EHLO|^HELO/i.test(line)) answer("250 smtp.test")
    else if (/^MAIL FROM/i.test(line)) {
      from = line.slice(10)
      answer(refuse() ? "451 try again later" : /forged@/i.test(line) ? "553 not your address" : "250 ok")
    } else if (/^RCPT TO/i.test(line)) {
      to = line.slice(8)
      answer(
        /nobody@/i.test(line)
          ? "550 no such mailbox"
          : /relay@/i.test(line)
            ? "550 5.7.1 no relaying for you"
            : "250 ok"
      )
    } else if (/^DATA/i.test(line)) {
      ;[data, inData] = ["", true]
      answer("354 go on")
    } else if (/^QUIT/i.test(line)) {
      answer("221 bye")
      socket.end()
    } else answer("250 ok")
  }
  socket.setEncoding("utf8")
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: string) => {
    const lines = (unread + chunk).split("\r\n")
    unread = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  })
  answer("220 smtp.test")
}

/**
 * A mail server of its own that can be told to refuse. It rejects the sender forged@, the recipients nobody@ and
 * relay@, and mails with the subject spam or broken. It accepts a mail with the subject cut, but disconnects before
 * saying so, and takes its time over one with the subject slow.
 */
export const smtpServer = Effect.gen(function* () {
  const mails = yield* Queue.unbounded<ReceivedMail>()
  const held: Array<() => void> = []
  let refusing = false
  const port = yield* Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        serve(
          socket,
          () => refusing,
          (mail) => Queue.unsafeOffer(mails, mail),
          (respond) => held.push(respond)
        )
      })
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({ port: portOf(server), close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ port }) => port))
  return {
    url: `smtp://127.0.0.1:${port}`,
    next: Queue.take(mails),
    count: Queue.size(mails),
    /** Responds to the slow mails that have come so far. */
    respond: Effect.sync(() => {
      for (const respond of held.splice(0)) respond()
    }),
    refuse: (yes: boolean) =>
      Effect.sync(() => {
        refusing = yes
      })
  }
})
