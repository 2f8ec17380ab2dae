import type { Server } from "node:http"
import { type WebSocket, WebSocketServer } from "ws"
import { customerOf } from "./TwinToken.ts"

const separator = "\u001e"

const clients = new Map<number, Set<WebSocket>>()

const clientsOf = (customerID: number) => {
  const known = clients.get(customerID)
  if (known !== undefined) return known
  const made = new Set<WebSocket>()
  clients.set(customerID, made)
  return made
}

/** A hub as one would write it with ws for a single node: the connected clients are kept in memory. */
export const serveHub = (server: Server) =>
  new WebSocketServer({ server, path: "/chatHub", perMessageDeflate: false }).on("connection", (socket, request) => {
    const token = new URL(request.url ?? "/", "http://twin").searchParams.get("access_token")
    const customerID = customerOf(`Bearer ${token}`)
    if (customerID === undefined) return socket.close()
    const mine = clientsOf(customerID)
    socket.on("error", () => socket.terminate())
    socket.on("close", () => mine.delete(socket))
    socket.once("message", () => {
      socket.send(`{}${separator}`)
      mine.add(socket)
    })
  })

/** Serialised once, sent to every client. */
export const tellMessage = (customerID: number, message: unknown) => {
  const mine = clients.get(customerID)
  if (mine === undefined || mine.size === 0) return
  const text = `{"type":1,"target":"MessageReceived","arguments":[${JSON.stringify(message)}]}${separator}`
  const bytes = Buffer.from(text)
  for (const socket of mine) socket.send(bytes, { binary: false })
}
