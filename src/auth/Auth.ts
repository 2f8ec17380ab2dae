import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { BadRequest, NotFound, type TooManyRequests, Unauthorized } from "../../schema/Errors.ts"
import type { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { AuditLog } from "./AuditLog.ts"
import { AuthRepo } from "./AuthRepo.ts"
import { PasswordHasher } from "./PasswordHasher.ts"
import { hashResetToken, sendResetMail } from "./PasswordReset.ts"
import { Revocations } from "./Revocations.ts"
import { Throttle } from "./Throttle.ts"
import { Tokens } from "./Tokens.ts"

/** Issues and recovers credentials. `address` is the caller's IP address, for the throttle. */
export class Auth extends Context.Tag("casework/Auth")<
  Auth,
  {
    readonly login: (
      credentials: { readonly username: string; readonly password: string; readonly hostname: string },
      address: string
    ) => Effect.Effect<string, Unauthorized | TooManyRequests>
    readonly phoneLogin: (
      credentials: { readonly phoneNumber: string; readonly accountSid: string },
      address: string
    ) => Effect.Effect<string, Unauthorized | TooManyRequests>
    readonly impersonate: (whom: {
      readonly customerID: CustomerID
      readonly customerRepID?: CustomerRepID
    }) => Effect.Effect<string, NotFound>
    readonly requestPasswordReset: (
      request: { readonly email: string; readonly hostname?: string },
      address: string
    ) => Effect.Effect<void>
    readonly resetPassword: (
      reset: { readonly token: string; readonly newPassword: string },
      address: string
    ) => Effect.Effect<void, BadRequest | TooManyRequests>
  }
>() {
  static readonly layer = Layer.effect(
    Auth,
    Effect.suspend(() => make)
  )
}

const leastResetTime = Duration.millis(200)

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* AuthRepo
  const hasher = yield* PasswordHasher
  const tokens = yield* Tokens
  const throttle = yield* Throttle
  const revocations = yield* Revocations
  const audit = yield* AuditLog
  const jobs = yield* Jobs
  const { loginLocalhost } = yield* Settings

  const isEverybodys = (hostname: string) => loginLocalhost && hostname.toLowerCase() === "localhost"

  const mayUseHostname = (customerID: CustomerID, hostname: string) =>
    isEverybodys(hostname) ? Effect.succeed(true) : repo.hasHostname(customerID, hostname)

  return Auth.of({
    login: fn("Auth.login")(function* ({ hostname, password, username }, address) {
      const attempt = Effect.gen(function* () {
        const rep = yield* repo.findByUsername(username)
        const secret = Redacted.make(password)
        const matches = yield* Option.match(rep, {
          onNone: () => hasher.verifyNothing(secret),
          onSome: ({ passwordHash }) => hasher.verify(passwordHash, secret)
        })
        if (Option.isSome(rep) && matches && (yield* mayUseHostname(rep.value.customerID, hostname))) return rep.value
        return yield* Unauthorized.of("The username, the password or the hostname is wrong.")
      })
      const byUsername = `login username ${username}`
      const rep = yield* throttle.attempt([byUsername, `login address ${address}`], attempt, {
        clearOnSuccess: byUsername
      })
      return yield* tokens.forRep(rep)
    }),

    phoneLogin: fn("Auth.phoneLogin")(function* ({ accountSid, phoneNumber }, address) {
      const attempt = repo.findPhoneChannel(accountSid, phoneNumber).pipe(
        Effect.flatMap(
          Option.match({
            onNone: () => Unauthorized.of("The account ID or the phone number is unknown."),
            onSome: Effect.succeed
          })
        )
      )
      const byNumber = `phone number ${phoneNumber}`
      const call = yield* throttle.attempt([byNumber, `phone address ${address}`], attempt, {
        clearOnSuccess: byNumber
      })
      return yield* tokens.forPhone(call)
    }),

    impersonate: fn("Auth.impersonate")(function* ({ customerID, customerRepID }) {
      const rep = yield* customerRepID === undefined
        ? repo.findDefault(customerID)
        : repo.find(customerID, customerRepID)
      if (Option.isNone(rep)) return yield* NotFound.of("There is no such customer or representative.")
      yield* audit.record(customerID, rep.value.customerRepID, "Impersonated")
      return yield* tokens.forRep(rep.value, { lifetime: "1 hour", impersonated: true })
    }),

    requestPasswordReset: fn("Auth.requestPasswordReset")(
      function* ({ email, hostname }, address) {
        const allowed = yield* throttle.isAllowed([`reset email ${email}`, `reset address ${address}`])
        const host = hostname ?? "localhost"
        const reps = yield* repo.findByEmail(email, isEverybodys(host) ? undefined : host)
        for (const { customerID, customerRepID } of allowed ? reps : []) {
          yield* jobs.enqueue(sendResetMail, customerID, { customerRepID })
        }
      },
      inTransaction,
      // Takes longer than the lookup and the enqueue, so that timing does not reveal whether the address is known.
      (asked) => Effect.zipLeft(asked, Effect.sleep(leastResetTime), { concurrent: true })
    ),

    resetPassword: fn("Auth.resetPassword")(function* ({ newPassword, token }, address) {
      const change = Effect.fnUntraced(function* (passwordHash: string) {
        const rep = yield* repo.takeResetToken(hashResetToken(token))
        if (Option.isNone(rep)) {
          return yield* BadRequest.at("token", "is unknown, expired or already used: request a new password reset mail")
        }
        const { customerID, customerRepID } = rep.value
        const securityVersion = yield* repo.setPassword(customerID, customerRepID, passwordHash)
        yield* audit.record(customerID, customerRepID, "PasswordReset")
        return { customerRepID, securityVersion }
      }, inTransaction)
      // Hashing is slow, so it happens before the transaction.
      const attempt = Effect.flatMap(hasher.hash(Redacted.make(newPassword)), change)
      const rep = yield* throttle.attempt([`reset token address ${address}`], attempt)
      yield* revocations.raised(rep.customerRepID, rep.securityVersion)
    })
  })
})
