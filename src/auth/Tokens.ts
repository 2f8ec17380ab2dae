import { createHash, randomUUID } from "node:crypto"
import { Context, Duration, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose"
import { type Caller, Role } from "../../schema/Authentication.ts"
import { ChannelID, CustomerID, CustomerRepID, idFromString } from "../../schema/Ids.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { Revocations } from "./Revocations.ts"

const issuer = "casework"
const audience = "casework-api"
const lifetime = Duration.hours(12)

// The clocks of two nodes may differ: a new token is valid at once on every node. Its expiry is checked exactly.
const clockTolerance = 300

const RepClaims = Schema.Struct({
  sub: Schema.String,
  CustomerID: idFromString(CustomerID),
  CustomerRepID: idFromString(CustomerRepID),
  Role,
  SecurityVersion: Schema.NumberFromString,
  Impersonated: Schema.optional(Schema.Literal("true"))
})

const PhoneClaims = Schema.Struct({
  PhoneAuth: Schema.Literal("true"),
  CustomerID: idFromString(CustomerID),
  ChannelID: idFromString(ChannelID),
  PhoneNumber: Schema.String
})

const decodeClaims = Schema.decodeUnknownOption(Schema.Union(PhoneClaims, RepClaims))

interface Verified {
  readonly caller: Caller
  readonly securityVersion: number
  readonly expiresAt: number
}

const toVerified = (payload: unknown, expiresAt: number): Option.Option<Verified> =>
  Option.map(decodeClaims(payload), (claims) =>
    "PhoneAuth" in claims
      ? {
          caller: {
            _tag: "PhoneCall",
            customerID: claims.CustomerID,
            channelID: claims.ChannelID,
            phoneNumber: claims.PhoneNumber
          },
          securityVersion: 0,
          expiresAt
        }
      : {
          caller: {
            _tag: "Representative",
            customerID: claims.CustomerID,
            customerRepID: claims.CustomerRepID,
            username: claims.sub,
            role: claims.Role,
            impersonated: claims.Impersonated === "true"
          },
          securityVersion: claims.SecurityVersion,
          expiresAt
        }
  )

/** A caller who stays connected. `isStillGood` uses only what this node knows in memory. */
interface Lasting {
  readonly caller: Caller
  readonly isStillGood: () => boolean
}

interface TokenRep {
  readonly customerID: CustomerID
  readonly customerRepID: CustomerRepID
  readonly username: string
  readonly role: Role
  readonly timeZone: string | null
  readonly securityVersion: number
}

interface Key {
  readonly kid: string
  readonly bytes: Uint8Array
}

const makeKey = (secret: Redacted.Redacted): Key => {
  const bytes = new TextEncoder().encode(Redacted.value(secret))
  return { kid: createHash("sha256").update("kid").update(bytes).digest("hex").slice(0, 8), bytes }
}

// Enough for every token in use; verifying a token again costs more than caching it.
const remembered = 10_000

/** Makes and reads access tokens (HS256): the first secret signs, any of the secrets verifies. */
export class Tokens extends Context.Tag("casework/Tokens")<
  Tokens,
  {
    readonly forRep: (
      rep: TokenRep,
      options?: { readonly lifetime: Duration.DurationInput; readonly impersonated: boolean }
    ) => Effect.Effect<string>
    readonly forPhone: (call: {
      readonly customerID: CustomerID
      readonly channelID: ChannelID
      readonly phoneNumber: string
    }) => Effect.Effect<string>
    /** The caller of a token that is genuine, not expired and not revoked. */
    readonly verify: (token: string) => Effect.Effect<Option.Option<Caller>>
    /** Verifies the token of a caller who stays connected. */
    readonly admit: (token: string) => Effect.Effect<Option.Option<Lasting>>
  }
>() {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const { jwtSecrets } = yield* Settings
      const revocations = yield* Revocations
      const [first, ...rest] = jwtSecrets
      const signing = makeKey(first)
      const keys = [signing, ...rest.map(makeKey)]
      const known = new Map<string, Verified>()

      const sign = (subject: string, claims: Readonly<Record<string, string>>, goodFor: Duration.DurationInput) =>
        Effect.promise(() => {
          const issuedAt = Math.floor(Date.now() / 1000)
          return new SignJWT({ ...claims })
            .setProtectedHeader({ alg: "HS256", typ: "JWT", kid: signing.kid })
            .setSubject(subject)
            .setIssuer(issuer)
            .setAudience(audience)
            .setIssuedAt(issuedAt)
            .setExpirationTime(issuedAt + Duration.toSeconds(goodFor))
            .setJti(randomUUID())
            .sign(signing.bytes)
        })

      const verifySignature = (token: string) =>
        Effect.tryPromise(async () => {
          const { kid } = decodeProtectedHeader(token)
          const key = keys.find((candidate) => candidate.kid === kid)
          if (key === undefined) return Option.none<Verified>()
          const { payload } = await jwtVerify(token, key.bytes, {
            algorithms: ["HS256"],
            issuer,
            audience,
            maxTokenAge: Duration.toSeconds(lifetime),
            clockTolerance,
            requiredClaims: ["exp", "iat", "sub", "jti"]
          })
          const endsAt = Math.min(payload.exp ?? 0, (payload.iat ?? 0) + Duration.toSeconds(lifetime))
          return toVerified(payload, endsAt * 1000)
        }).pipe(
          Effect.either,
          Effect.map(Either.getOrElse(() => Option.none<Verified>())),
          Effect.tap((verified) =>
            Effect.sync(() => {
              if (Option.isNone(verified)) return
              // Evicts only the oldest token: after clearing the cache all tokens would be verified again at once.
              const [oldest] = known.keys()
              if (known.size >= remembered && oldest !== undefined) known.delete(oldest)
              known.set(token, verified.value)
            })
          )
        )

      const isStillGood = ({ caller, expiresAt, securityVersion }: Verified) =>
        expiresAt > Date.now() &&
        revocations.hasCustomer(caller.customerID) &&
        (caller._tag === "PhoneCall"
          ? revocations.hasChannel(caller.channelID)
          : revocations.isCurrent(caller.customerRepID, securityVersion))

      const lookUp = (token: string) =>
        Effect.suspend(() => {
          const verified = known.get(token)
          return verified === undefined ? verifySignature(token) : Effect.succeedSome(verified)
        }).pipe(Effect.zipLeft(revocations.fresh), Effect.map(Option.filter(isStillGood)))

      return {
        forRep: (rep, options) =>
          sign(
            rep.username,
            {
              CustomerID: String(rep.customerID),
              CustomerRepID: String(rep.customerRepID),
              TimeZone: rep.timeZone ?? "UTC",
              Locale: "en-US",
              Country: "US",
              role: rep.role,
              Role: rep.role,
              SecurityVersion: String(rep.securityVersion),
              ...(options?.impersonated === true && { Impersonated: "true" })
            },
            options?.lifetime ?? lifetime
          ),
        forPhone: (call) =>
          sign(
            call.phoneNumber,
            {
              PhoneAuth: "true",
              CustomerID: String(call.customerID),
              ChannelID: String(call.channelID),
              PhoneNumber: call.phoneNumber
            },
            lifetime
          ),
        verify: (token) =>
          Effect.suspend(() => {
            const verified = known.get(token)
            // The fast path that nearly every request takes.
            if (verified !== undefined && revocations.isFresh()) {
              return isStillGood(verified) ? Effect.succeedSome(verified.caller) : Effect.succeedNone
            }
            return Effect.map(
              lookUp(token),
              Option.map(({ caller }) => caller)
            )
          }),
        admit: (token) =>
          Effect.map(
            lookUp(token),
            Option.map((verified) => ({ caller: verified.caller, isStillGood: () => isStillGood(verified) }))
          )
      }
    })
  )
}
