import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { type Answer, baseUrl } from "../support/TestApp.ts"

export const openSocket = Effect.flatMap(baseUrl, (base) =>
  Effect.acquireRelease(
    Effect.async<Socket>((resume) => {
      const socket = connect(Number(new URL(base).port), "127.0.0.1", () => resume(Effect.succeed(socket)))
      // After connecting, the socket's user notices by itself that it has ended.
      socket.on("error", (error) => resume(Effect.die(error)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
)

/** Everything that a socket receives until the other side closes it. */
export const readToEnd = (socket: Socket) =>
  Effect.async<string>((resume) => {
    const chunks: Array<Buffer> = []
    socket.on("data", (chunk) => chunks.push(chunk))
    socket.once("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString())))
  })

/** The first response in what a socket received. */
export const parseAnswer = (received: string): Answer => {
  const [head = "", ...rest] = received.split("\r\n\r\n")
  const [statusLine = "", ...lines] = head.split("\r\n")
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(":")[0] ?? "", line.replace(/^[^:]*:/, "")])
  )
  const text = rest.join("\r\n\r\n").slice(0, Number(headers.get("content-length") ?? 0))
  return { status: Number(statusLine.split(" ")[1]), headers, text, json: text === "" ? undefined : JSON.parse(text) }
}

/** Sends exactly these bytes and reads the response; the request should ask for the connection to be closed. */
export const sendRaw = (text: string) =>
  Effect.gen(function* () {
    const socket = yield* openSocket
    socket.write(text)
    return parseAnswer(yield* readToEnd(socket))
  }).pipe(Effect.scoped)
