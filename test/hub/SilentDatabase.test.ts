import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { Tokens } from "../../src/auth/Tokens.ts"
import { ping } from "../../src/hub/HubProtocol.ts"
import { acmeAdmin } from "../support/Logins.ts"
import { quietApp } from "../support/TestApp.ts"
import { channelTokenOf, peer, repPeer } from "./HubTools.ts"
import { frame, handshake, rawHub } from "./RawHub.ts"

/** A representative whose token expires soon, but not before all are connected. */
const shortLived = Effect.gen(function* () {
  const tokens = yield* Tokens
  const token = yield* tokens.forRep(acmeAdmin, { lifetime: Duration.seconds(12), impersonated: false })
  return yield* peer("", { token, skipNegotiation: true })
})

const greetedVisitor = Effect.gen(function* () {
  const visitor = yield* rawHub(`?channelToken=${yield* channelTokenOf("Acme")}`, ["Origin: https://acme.example"])
  yield* visitor.send(frame(handshake))
  yield* visitor.next
  return visitor
})

/** Revokes a representative's tokens in a transaction that blocks everyone who looks for revoked tokens. */
const revokeSlowly = (username: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const revoking = yield* Effect.gen(function* () {
      yield* sql`/* all customers: nobody reads it meanwhile */ lock table customer_rep in access exclusive mode`
      yield* sql`
        update customer_rep set security_version = security_version + 1, security_changed_at = clock_timestamp()
        where customer_id = 1 and username = ${username}`
      yield* Deferred.succeed(begun, undefined)
      yield* Deferred.await(goOn)
    }).pipe(sql.withTransaction, Effect.forkScoped)
    yield* Deferred.await(begun)
    return { commit: Effect.zipRight(Deferred.succeed(goOn, undefined), Fiber.join(revoking)) }
  })

layer(quietApp(), { excludeTestServices: true })("While the database does not answer", (it) => {
  it.scoped("connections get their pings and end with their tokens, and revocations are found afterwards", () =>
    Effect.gen(function* () {
      const revoked = yield* repPeer("acme-agent")
      const expiring = yield* shortLived
      const visitor = yield* greetedVisitor
      const { commit } = yield* revokeSlowly("acme-agent")
      const heard = visitor.next.pipe(Effect.timeoutFail({ duration: "50 seconds", onTimeout: () => "no ping" }))
      expect(yield* heard).toBe(ping)
      expect((yield* expiring.ended)?.message).toMatch(/token has expired/)
      expect(revoked.connection.state).toBe("Connected")
      yield* commit
      expect((yield* revoked.ended)?.message).toMatch(/was revoked/)
    })
  )
})
