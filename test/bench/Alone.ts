import { createServer } from "node:http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Schema } from "effect"
import fastify from "fastify"

const port = Number(process.env["PORT"])

const status = { status: "ok" }

/** Nothing but the library: no token, no log, no metrics, no headers and no conventions. */
const httpApi = () => {
  const live = HttpApiEndpoint.get("live", "/health/live").addSuccess(Schema.Struct({ status: Schema.String }))
  const ready = HttpApiEndpoint.get("ready", "/health/ready")
  const api = HttpApi.make("alone").add(HttpApiGroup.make("health").add(live).add(ready))
  const health = HttpApiBuilder.group(api, "health", (handlers) =>
    handlers.handle("live", () => Effect.succeed(status)).handle("ready", () => Effect.void)
  )
  return HttpApiBuilder.serve().pipe(
    Layer.provide(HttpApiBuilder.api(api)),
    Layer.provide(health),
    Layer.provide(NodeHttpServer.layer(createServer, { port })),
    Layer.launch,
    Effect.runPromise
  )
}

const fastifyAlone = () => {
  const app = fastify()
  const schema = { response: { 200: { type: "object", properties: { status: { type: "string" } } } } }
  app.get("/health/live", { schema }, async () => status)
  app.get("/health/ready", async () => "")
  return app.listen({ port })
}

const node = () =>
  createServer((_, response) => {
    const body = JSON.stringify(status)
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  }).listen(port)

const servers: Readonly<Record<string, () => unknown>> = { httpApi, fastify: fastifyAlone, node }

await servers[process.env["FRAMEWORK"] ?? ""]?.()
