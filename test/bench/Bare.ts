import { createReadStream } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import pg from "pg"
import { createMessage, type NewMessage } from "./TwinCreate.ts"
import { findFile, headersOf } from "./TwinFiles.ts"
import { serveHub, tellMessage } from "./TwinHub.ts"
import { type Notifications, noteMails } from "./TwinMail.ts"
import { addPhotos } from "./TwinPhotos.ts"
import { messagesSql, pageSql, searchSql, ticketSql } from "./TwinSql.ts"
import { customerOf } from "./TwinToken.ts"

/** The upper limit: node:http and pg, without any validation or shaping of responses. */
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 20 })

const answer = (response: ServerResponse, value: unknown) => {
  const body = JSON.stringify(value)
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body)
}

// As parsed: to check it is part of what this server does without.
const bodyOf = async (request: IncomingMessage) => JSON.parse(await text(request))

const answerFile = async (response: ServerResponse, token: string) => {
  const file = await findFile(pool, token)
  if (file === undefined) return response.writeHead(404).end()
  return pipeline(createReadStream(file.path), response.writeHead(200, headersOf(file)))
}

const answerPost = async (customerID: number, request: IncomingMessage, response: ServerResponse) => {
  const [, room] = /^\/api\/PlaceDescriptionRooms\/(\d+)\/photos$/.exec(request.url ?? "") ?? []
  if (room !== undefined) return answer(response, await addPhotos(pool, customerID, Number(room), request))
  const body: NewMessage = await bodyOf(request)
  const message = await createMessage(pool, customerID, body)
  tellMessage(customerID, message)
  return answer(response, message)
}

const handle = async (request: IncomingMessage, response: ServerResponse) => {
  if (request.url === "/health/live") return answer(response, { status: "ok" })
  if (request.url === "/api/MailWebhook") {
    const body: Notifications = await bodyOf(request)
    await noteMails(pool, body)
    return response.writeHead(200, { "content-length": 0 }).end()
  }
  if (request.url?.startsWith("/api/File/")) return answerFile(response, request.url.slice("/api/File/".length))
  const customerID = customerOf(request.headers.authorization)
  if (customerID === undefined) return response.writeHead(request.url === "/health/ready" ? 200 : 401).end()
  if (request.method === "POST") return answerPost(customerID, request, response)
  const url = new URL(request.url ?? "/", "http://bare")
  const [, , id, below] = url.pathname.split("/")
  if (id !== undefined && below === undefined) {
    const { rows } = await pool.query<object>({ name: "ticket", text: ticketSql, values: [customerID, id] })
    return answer(response, rows[0])
  }
  const search = url.searchParams.get("search")
  const status = url.searchParams.get("status")
  const { rows } = await pool.query<{ readonly totalCount: number }>(
    below !== undefined
      ? { name: "messages", text: messagesSql, values: [customerID, id] }
      : search !== null
        ? { name: "search", text: searchSql, values: [customerID, 20, 0, `%${search}%`] }
        : status !== null
          ? {
              name: "filtered",
              text: pageSql("and t.status = $4", "and n.status = $4", "$2", "$3"),
              values: [customerID, 20, 0, status]
            }
          : { name: "page", text: pageSql("", "", "$2", "$3"), values: [customerID, 20, 0] }
  )
  const totalCount = rows[0]?.totalCount ?? 0
  return answer(response, { items: rows, totalCount, totalPages: Math.ceil(totalCount / 20) })
}

const server = createServer((request, response) => {
  handle(request, response).catch(() => response.writeHead(500).end())
})
serveHub(server)
server.listen(Number(process.env["PORT"]), "127.0.0.1")
