import { createReadStream } from "node:fs"
import Fastify from "fastify"
import pg from "pg"
import { createMessage, type NewMessage } from "./TwinCreate.ts"
import { dutifulOptions, hasDuties, takeDuties } from "./TwinDuties.ts"
import { findFile, headersOf } from "./TwinFiles.ts"
import { serveHub, tellMessage } from "./TwinHub.ts"
import { type Notifications, noteMails } from "./TwinMail.ts"
import { addPhotos } from "./TwinPhotos.ts"
import {
  byId,
  byToken,
  message,
  messagePage,
  newMessage,
  notifications,
  page,
  photos,
  query,
  ticket
} from "./TwinSchemas.ts"
import { messagesSql, pageSql, searchSql, ticketSql } from "./TwinSql.ts"
import { customerOf, isPublic } from "./TwinToken.ts"

/** The same service as a Fastify user would write it: JSON schemas for validation and serialisation, and pg. */
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"], max: 20 })
const app = Fastify(hasDuties ? dutifulOptions : {})
if (hasDuties) takeDuties(app)

/** Every row of a page also holds the count of all. */
interface Counted {
  readonly totalCount: number
}

app.decorateRequest("customerID", 0)
app.addHook("onRequest", async (request, reply) => {
  if (isPublic(request.url)) return
  const customerID = customerOf(request.headers.authorization)
  if (customerID === undefined) return reply.code(401).send({ status: 401, error: "Unauthorized" })
  request.setDecorator("customerID", customerID)
})

app.get("/health/ready", async () => ({ status: "ready" }))

app.get(
  "/health/live",
  { schema: { response: { 200: { type: "object", properties: { status: { type: "string" } } } } } },
  async () => ({ status: "ok" })
)

app.get<{ Params: { id: number } }>(
  "/tickets/:id",
  { schema: { params: byId, response: { 200: ticket } } },
  async (request, reply) => {
    const values = [request.getDecorator<number>("customerID"), request.params.id]
    const { rows } = await pool.query<object>({ name: "ticket", text: ticketSql, values })
    return rows[0] ?? reply.code(404).send({ status: 404, error: "Not Found" })
  }
)

app.get<{ Params: { id: number } }>(
  "/tickets/:id/messages",
  { schema: { params: byId, response: { 200: messagePage } } },
  async (request) => {
    const values = [request.getDecorator<number>("customerID"), request.params.id]
    const { rows } = await pool.query<Counted>({ name: "messages", text: messagesSql, values })
    const totalCount = rows[0]?.totalCount ?? 0
    return { items: rows, totalCount, totalPages: Math.ceil(totalCount / 20) }
  }
)

app.get<{ Querystring: { pageNumber: number; pageSize: number; status?: string; search?: string } }>(
  "/tickets",
  { schema: { querystring: query, response: { 200: page } } },
  async (request) => {
    const { pageNumber, pageSize, search, status } = request.query
    const values = [request.getDecorator<number>("customerID"), pageSize, (pageNumber - 1) * pageSize]
    const { rows } =
      search !== undefined
        ? await pool.query<Counted>({ name: "search", text: searchSql, values: [...values, `%${search}%`] })
        : status === undefined
          ? await pool.query<Counted>({ name: "page", text: pageSql("", "", "$2", "$3"), values })
          : await pool.query<Counted>({
              name: "filtered",
              text: pageSql("and t.status = $4", "and n.status = $4", "$2", "$3"),
              values: [...values, status]
            })
    const totalCount = rows[0]?.totalCount ?? 0
    return { items: rows, totalCount, totalPages: Math.ceil(totalCount / pageSize) }
  }
)

app.post<{ Body: NewMessage }>(
  "/ticketMessages/create-new",
  { schema: { body: newMessage, response: { 200: message } } },
  async (request) => {
    const customerID = request.getDecorator<number>("customerID")
    const stored = await createMessage(pool, customerID, request.body)
    tellMessage(customerID, stored)
    return stored
  }
)

app.post<{ Body: Notifications }>("/api/MailWebhook", { schema: { body: notifications } }, async (request, reply) => {
  await noteMails(pool, request.body)
  return reply.code(200).send()
})

app.get<{ Params: { token: string } }>("/api/File/:token", { schema: { params: byToken } }, async (request, reply) => {
  const file = await findFile(pool, request.params.token)
  if (file === undefined) return reply.code(404).send({ status: 404, error: "Not Found" })
  return reply.headers(headersOf(file)).send(createReadStream(file.path))
})

// The handler reads the body as it arrives.
app.addContentTypeParser("multipart/form-data", (_request, payload, done) => done(null, payload))

app.post<{ Params: { id: number } }>(
  "/api/PlaceDescriptionRooms/:id/photos",
  { schema: { params: byId, response: { 200: photos } }, bodyLimit: 25 * 1024 * 1024 },
  async (request, reply) => {
    const added = await addPhotos(pool, request.getDecorator<number>("customerID"), request.params.id, request.raw)
    return added ?? reply.code(404).send({ status: 404, error: "Not Found" })
  }
)

serveHub(app.server)

await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" })
