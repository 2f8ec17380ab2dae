import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import { Context, Schema } from "effect"
import { Forbidden, NotFound, Unauthorized } from "./Errors.ts"
import type { ChannelID, CustomerID, CustomerRepID } from "./Ids.ts"

export const Role = Schema.Literal("Admin", "Agent").annotations({
  identifier: "Role",
  description: "Admins also manage the customer and its representatives"
})
export type Role = typeof Role.Type

/** A human agent, identified by its token. */
export interface Representative {
  readonly _tag: "Representative"
  readonly customerID: CustomerID
  readonly customerRepID: CustomerRepID
  readonly username: string
  readonly role: Role
  readonly impersonated: boolean
}

/** A phone call on one channel, identified by its phone-auth token. */
export interface PhoneCall {
  readonly _tag: "PhoneCall"
  readonly customerID: CustomerID
  readonly channelID: ChannelID
  readonly phoneNumber: string
}

export type Caller = Representative | PhoneCall

/**
 * The caller. It is provided with each request, so services take it from the request and not from their layer.
 * @effect-leakable-service
 */
export class CurrentRep extends Context.Tag("casework/CurrentRep")<CurrentRep, Representative>() {}

/** @effect-leakable-service */
export class CurrentCaller extends Context.Tag("casework/CurrentCaller")<CurrentCaller, Caller>() {}

const bearer = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotateContext(
    OpenApi.annotations({ description: "The token returned by login, valid for 12 hours", format: "JWT" })
  )
)

const failure = Schema.Union(Unauthorized, Forbidden)

/** Policy: any representative of the customer. */
export class TicketAccess extends HttpApiMiddleware.Tag<TicketAccess>()("casework/TicketAccess", {
  failure,
  provides: CurrentRep,
  security: { bearer }
}) {}

/** Policy: a representative, or a phone call. */
export class PhoneContext extends HttpApiMiddleware.Tag<PhoneContext>()("casework/PhoneContext", {
  failure: Unauthorized,
  provides: CurrentCaller,
  security: { bearer }
}) {}

/** Policy: a representative with the role Admin. */
export class AdminAccess extends HttpApiMiddleware.Tag<AdminAccess>()("casework/AdminAccess", {
  failure,
  provides: CurrentRep,
  security: { bearer }
}) {}

/** Policy: a representative of a customer that has the SchedulesOfCondition feature. */
export class ReportAccess extends HttpApiMiddleware.Tag<ReportAccess>()("casework/ReportAccess", {
  failure,
  provides: CurrentRep,
  security: { bearer }
}) {}

/** Policy: the platform's own tooling, identified by its key. Without a configured key the route responds with 404. */
export class PlatformAccess extends HttpApiMiddleware.Tag<PlatformAccess>()("casework/PlatformAccess", {
  failure: Schema.Union(Unauthorized, NotFound),
  security: {
    platformKey: HttpApiSecurity.apiKey({ key: "X-Platform-Key", in: "header" }).pipe(
      HttpApiSecurity.annotateContext(OpenApi.annotations({ description: "The service's PLATFORM_KEY" }))
    )
  }
}) {}

/** Policy: the monitoring, identified by its token. Without a configured token the route responds with 404. */
export class MetricsAccess extends HttpApiMiddleware.Tag<MetricsAccess>()("casework/MetricsAccess", {
  failure: Schema.Union(Unauthorized, NotFound),
  security: {
    metricsToken: HttpApiSecurity.bearer.pipe(
      HttpApiSecurity.annotateContext(OpenApi.annotations({ description: "The service's METRICS_TOKEN" }))
    )
  }
}) {}
