import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { MetricsAccess } from "./Authentication.ts"
import { ServiceUnavailable } from "./Errors.ts"

export class Health extends Schema.Class<Health>("Health")({ status: Schema.Literal("ok") }) {}

const MetricsText = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/plain" })
).annotations({ description: "Metrics in the Prometheus text format" })

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live")
      .addSuccess(Health)
      .annotateContext(
        OpenApi.annotations({
          summary: "Check liveness",
          description: "Responds while the process is up, and checks nothing else."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Health)
      .addError(ServiceUnavailable)
      .annotateContext(
        OpenApi.annotations({
          summary: "Check readiness",
          description:
            "Returns 200 if the database responds, every migration of this version is applied and the node is not stopping, otherwise 503."
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
            "For Prometheus: requests, jobs, AI calls, mail, deliveries, the database and the process, since the start of this node. Requires the METRICS_TOKEN of the service; returns 404 if it has none."
        })
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Health", description: "For load balancers and people on call." })) {}
