import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { MetricsAccess } from "./Authentication.ts"
import { ServiceUnavailable } from "./Errors.ts"

export class Health extends Schema.Class<Health>("Health")({ status: Schema.Literal("ok") }) {}

const MetricsText = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/plain" })
).annotations({ description: "Metrics in the text format of Prometheus" })

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live")
      .addSuccess(Health)
      .annotateContext(OpenApi.annotations({ summary: "Is the process up", description: "Touches nothing else." }))
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Health)
      .addError(ServiceUnavailable)
      .annotateContext(
        OpenApi.annotations({
          summary: "Can it serve",
          description:
            "200 when the database answers, every migration of this version is applied and the node is not stopping, otherwise 503."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(MetricsText)
      .middleware(MetricsAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read the metrics",
          description:
            "For Prometheus: requests, jobs, AI calls, mail, deliveries, the database and the process, since the start of this node. Needs the METRICS_TOKEN of the service; 404 when it has none."
        })
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Health", description: "For load balancers and people on call." })) {}
