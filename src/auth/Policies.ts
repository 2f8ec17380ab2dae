import { HttpServerRequest } from "@effect/platform"
import { Effect, Layer, Option, Redacted } from "effect"
import {
  AdminAccess,
  type Caller,
  MetricsAccess,
  PhoneContext,
  PlatformAccess,
  ReportAccess,
  type Representative,
  TicketAccess
} from "../../schema/Authentication.ts"
import { Forbidden, NotFound, Unauthorized } from "../../schema/Errors.ts"
import { sameText } from "../platform/secrets/SameText.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { isTraced, noteCustomer } from "../platform/telemetry/RequestTelemetry.ts"
import { AuthRepo } from "./AuthRepo.ts"
import { Tokens } from "./Tokens.ts"

export const bearerToken = (request: HttpServerRequest.HttpServerRequest) =>
  Option.fromNullable(/^Bearer +([^ ]+) *$/i.exec(request.headers["authorization"] ?? "")?.[1])

/** The caller of a request, if it carries a valid token. */
export const callerOf = (tokens: typeof Tokens.Service, request: HttpServerRequest.HttpServerRequest) =>
  Option.match(bearerToken(request), { onNone: () => Effect.succeedNone, onSome: tokens.verify })

const onlyReps = (caller: Caller): Effect.Effect<Representative, Forbidden> =>
  caller._tag === "Representative"
    ? Effect.succeed(caller)
    : Forbidden.of("A phone token cannot be used here. Log in as a representative.")

const onlyAdmins = (rep: Representative): Effect.Effect<Representative, Forbidden> =>
  rep.role === "Admin" ? Effect.succeed(rep) : Forbidden.of("Only an Admin may do this.")

/** What each policy that a route can name asks of the caller. */
export const PoliciesLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const tokens = yield* Tokens
    const repo = yield* AuthRepo
    const { metricsToken, platformKey } = yield* Settings
    const traced = yield* isTraced

    const noted = (found: Caller) => (traced ? Effect.as(noteCustomer(found.customerID), found) : Effect.succeed(found))
    const refused = ({ headers }: HttpServerRequest.HttpServerRequest) =>
      headers["authorization"] === undefined
        ? Unauthorized.of("Send a token returned by login as Authorization: Bearer <token>.")
        : Unauthorized.of("The token is not valid or has expired. Log in again.")
    const caller = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.flatMap(callerOf(tokens, request), (found) =>
        Option.isSome(found) ? noted(found.value) : refused(request)
      )
    )
    const rep = Effect.flatMap(caller, onlyReps)

    const withReports = Effect.tap(rep, ({ customerID }) =>
      Effect.flatMap(repo.hasFeature(customerID, "SchedulesOfCondition"), (has) =>
        has ? Effect.void : Forbidden.of("Your organisation does not have the feature SchedulesOfCondition.")
      )
    )

    const platform = (given: Redacted.Redacted) =>
      Option.match(platformKey, {
        onNone: () => NotFound.of("There is no route POST /api/Auth/impersonate-by-customer."),
        onSome: (key) =>
          sameText(Redacted.value(given), Redacted.value(key))
            ? Effect.void
            : Unauthorized.of("X-Platform-Key is missing or wrong.")
      })

    const metrics = (given: Redacted.Redacted) =>
      Option.match(metricsToken, {
        onNone: () => NotFound.of("There is no route GET /metrics."),
        onSome: (token) =>
          sameText(Redacted.value(given), Redacted.value(token))
            ? Effect.void
            : Unauthorized.of("Send the service's METRICS_TOKEN as Authorization: Bearer <token>.")
      })

    return Layer.mergeAll(
      Layer.succeed(MetricsAccess, { metricsToken: metrics }),
      Layer.succeed(PlatformAccess, { platformKey: platform }),
      Layer.succeed(PhoneContext, { bearer: () => caller }),
      Layer.succeed(TicketAccess, { bearer: () => rep }),
      Layer.succeed(AdminAccess, { bearer: () => Effect.flatMap(rep, onlyAdmins) }),
      Layer.succeed(ReportAccess, { bearer: () => withReports })
    )
  })
)
