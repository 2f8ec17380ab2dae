import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { ServiceUnavailable } from "./Errors.ts"

export class Health extends Schema.Class<Health>("Health")({ status: Schema.Literal("ok") }) {}

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
          description: "200 when the database answers and every migration of this version is applied, otherwise 503."
        })
      )
  )
  .annotateContext(OpenApi.annotations({ title: "Health", description: "For load balancers and people on call." })) {}
