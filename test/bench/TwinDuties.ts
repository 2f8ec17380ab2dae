import { createHash, randomUUID } from "node:crypto"
import type { FastifyInstance, FastifyServerOptions } from "fastify"

/** If set, the twin also does for each request what the contract requires of all routes. */
export const hasDuties = process.env["DUTIES"] === "on"

const given = /^[A-Za-z0-9._:+/=@-]{1,128}$/

/** Logs one line of JSON per request, and gives each request an id. */
export const dutifulOptions: FastifyServerOptions = {
  logger: true,
  disableRequestLogging: true,
  genReqId: ({ headers }) => {
    const id = headers["x-request-id"]
    return typeof id === "string" && given.test(id) ? id : randomUUID()
  }
}

const always = {
  "cache-control": "private, no-cache",
  "cross-origin-resource-policy": "same-site",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer"
}

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts the requests of each route by method and status, and how many took up to how long. */
const makeCounts = () => {
  const requests = new Map<string, number>()
  const durations = new Map<string, Array<number>>()
  return (method: string, route: string, status: number, seconds: number) => {
    const name = `${method} ${route}`
    requests.set(`${name} ${status}`, (requests.get(`${name} ${status}`) ?? 0) + 1)
    const buckets = durations.get(name) ?? bounds.map(() => 0)
    durations.set(name, buckets)
    const at = bounds.findIndex((bound) => seconds <= bound)
    if (at >= 0) buckets[at] = (buckets[at] ?? 0) + 1
  }
}

/** Request ids, headers, ETags of single resources, an access log and metrics for an operator, as hooks. */
export const takeDuties = (app: FastifyInstance) => {
  const count = makeCounts()
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(always).header("x-request-id", request.id)
    done()
  })
  app.addHook("onSend", (request, reply, payload, done) => {
    const isSingle = request.routeOptions.url === "/tickets/:id" && request.method === "GET"
    if (!isSingle || reply.statusCode !== 200 || typeof payload !== "string") return done(null, payload)
    const etag = `"${createHash("sha256").update(payload).digest("base64url").slice(0, 27)}"`
    reply.header("etag", etag)
    if (request.headers["if-none-match"] !== etag) return done(null, payload)
    reply.code(304)
    return done(null, "")
  })
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unmatched"
    const { elapsedTime, statusCode: status } = reply
    count(request.method, route, status, elapsedTime / 1000)
    const { id: requestId, ip: address, method, url } = request
    request.log.info({ requestId, method, route, url, status, durationMs: elapsedTime, address }, "request")
    done()
  })
}
