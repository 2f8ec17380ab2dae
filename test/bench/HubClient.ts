import { WebSocket } from "ws"

const separator = "\u001e"

/** A hub client that has shaken hands, and calls back with the id of each message it is sent. */
export const connect = (base: string, query: string, onMessage: (messageID: number) => void = () => undefined) =>
  new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(`${base.replace("http", "ws")}/chatHub?${query}`, {
      headers: { origin: "https://acme.example" }
    })
    socket.on("error", () => reject(new Error("A client could not connect")))
    socket.on("open", () => socket.send(`{"protocol":"json","version":1}${separator}`))
    socket.once("message", () => {
      resolve(socket)
      socket.on("message", (data) => {
        for (const record of data.toString().split(separator)) {
          if (record === `{"type":6}`) socket.send(record + separator)
          // Parsing the whole record would take longer here than writing it took the server.
          const [, messageID] = /"target":"MessageReceived","arguments":\[\{"messageID":(\d+)/.exec(record) ?? []
          if (messageID !== undefined) onMessage(Number(messageID))
        }
      })
    })
  })

export const connectMany = async (count: number, one: (index: number) => Promise<WebSocket>) => {
  const sockets: Array<WebSocket> = []
  for (let at = 0; at < count; at += 50) {
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, index) => one(at + index))))
    )
  }
  return sockets
}

/** This many clients, and a promise for the moment when all of them have received a message. */
export const makeAudience = async (base: string, query: string, size: number) => {
  const heard = new Map<number, number>()
  const waiting = new Map<number, () => void>()
  const sockets = await connectMany(size, () =>
    connect(base, query, (messageID) => {
      const count = (heard.get(messageID) ?? 0) + 1
      heard.set(messageID, count)
      if (count === size) waiting.get(messageID)?.()
    })
  )
  return {
    hasHeard: (messageID: number) =>
      new Promise<void>((resolve) => {
        waiting.set(messageID, resolve)
        if (heard.get(messageID) === size) resolve()
      }).finally(() => {
        heard.delete(messageID)
        waiting.delete(messageID)
      }),
    leave: () => {
      for (const socket of sockets) socket.close()
    }
  }
}
