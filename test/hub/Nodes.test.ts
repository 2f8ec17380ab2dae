import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { PresenceRepo } from "../../src/representatives/PresenceRepo.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { numberIn } from "../support/Fields.ts"
import { quietApp } from "../support/TestApp.ts"
import { onPostgres } from "../support/TestDatabase.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { allTold, type HubPeer, nextTold, repPeer, say, toldMessage, visitorPeer } from "./HubTools.ts"

const acme = CustomerID.make(1)

const isAgentAvailable = Effect.flatMap(PresenceRepo, (presence) => presence.isAgentAvailable(acme))

layer(quietApp(), { excludeTestServices: true })("The presence of representatives", (it) => {
  it.effect("lasts as long as they are connected, whichever node is asked", () =>
    Effect.gen(function* () {
      expect(yield* isAgentAvailable).toBe(false)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* visitorPeer()
          yield* repPeer("globex-admin")
          expect(yield* isAgentAvailable).toBe(false)
          yield* repPeer("acme-agent")
          yield* Effect.scoped(repPeer("acme-agent"))
          yield* eventually(isAgentAvailable, (is) => is)
          expect(yield* isAgentAvailable.pipe(onAnotherNode())).toBe(true)
        })
      )
      yield* eventually(isAgentAvailable, (is) => !is)
    })
  )

  it.effect("expires when their node died without saying so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const present = (age: string) => sql`
        insert into hub_presence (node_id, customer_id, customer_rep_id, seen_at)
        values (gen_random_uuid(), 1, 1, now() - ${age}::interval)`
      yield* present("31 seconds")
      expect(yield* isAgentAvailable).toBe(false)
      yield* present("20 seconds")
      expect(yield* isAgentAvailable).toBe(true)
      yield* sql`delete from hub_presence where customer_id = 1`
    })
  )
})

/** Waits until every node has queried its database again. */
const heartbeat = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [now] = yield* sql<{ at: string }>`select clock_timestamp()::text as at`
  const waiting = sql`
    select 1 from pg_stat_activity where datname = current_database() and application_name = 'casework hub'
      and (query_start < ${(yield* Effect.fromNullable(now)).at}::timestamptz or state <> 'idle')`
  yield* eventually(waiting, ({ length }) => length === 0)
})

const messageIDs = (peer: HubPeer) =>
  Effect.map(allTold(peer), (told) =>
    told.flatMap(({ argument, event }) => (event === "MessageReceived" ? [numberIn(argument, "messageID")] : []))
  )

/** Cuts the connections on which nodes listen for events, as a network does on a bad day. */
const cutListeners = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'casework hub' and datname = current_database()`
)

// The embedded database serves one process, so there are no two nodes on it.
if (onPostgres) {
  layer(quietApp(), { excludeTestServices: true })("Two nodes", (it) => {
    it.scoped("share a chat", () =>
      Effect.gen(function* () {
        const visitor = yield* visitorPeer()
        yield* Effect.gen(function* () {
          const rep = yield* repPeer("acme-agent")
          const { ticketID } = yield* say(visitor, "From one node")
          expect(yield* nextTold(rep, "MessageReceived")).toMatchObject({ ticketID, message: "From one node" })
          yield* rep.invoke("JoinTicket", ticketID)
          yield* nextTold(visitor, "AgentJoined")
          yield* rep.invoke("Typing", ticketID)
          yield* nextTold(visitor, "Typing")
          yield* visitor.invoke("Typing", ticketID)
          expect(yield* nextTold(rep, "Typing")).toMatchObject({ ticketID })
          yield* say(rep, "From the other", ticketID)
          expect(yield* nextTold(visitor, "MessageReceived")).toMatchObject({ message: "From the other" })
        }).pipe(Effect.scoped, onAnotherNode())
      })
    )

    it.scoped("miss nothing and tell nothing twice when their listeners are cut again and again", () =>
      Effect.gen(function* () {
        const rep = yield* repPeer("acme-agent")
        const { messageID: first, ticketID } = yield* newMessage({})
        yield* toldMessage(rep, first)
        const sent: Array<number> = []
        const told: Array<number> = []
        for (let round = 0; round < 5; round++) {
          yield* cutListeners
          for (let at = 0; at < 8; at++) {
            const { messageID } = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent" })
            sent.push(messageID)
          }
        }
        yield* eventually(
          Effect.map(messageIDs(rep), (more) => {
            told.push(...more)
            return told
          }),
          (all) => sent.every((id) => all.includes(id))
        )
        expect([...told].sort((a, b) => a - b)).toEqual(sent)
      })
    )

    it.scoped("tell what a transaction recorded only once it has committed, even when it began long before", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rep = yield* repPeer("acme-agent")
        const { messageID, ticketID } = yield* newMessage({})
        yield* toldMessage(rep, messageID)
        yield* Effect.gen(function* () {
          yield* sql`
            insert into event (customer_id, kind, ticket_id, ticket_message_id)
            values (1, 'MessageReceived', ${ticketID}, ${messageID})`
          const later = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent" })
          expect(yield* nextTold(rep, "MessageReceived")).toMatchObject({ messageID: later.messageID })
          // Nobody was notified when the first was recorded, as if the notification had been lost.
          yield* cutListeners
        }).pipe(sql.withTransaction)
        expect(yield* nextTold(rep, "MessageReceived")).toMatchObject({ messageID })
      })
    )

    it.scoped("tell what one of them committed but died before telling", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rep = yield* repPeer("acme-agent")
        const { messageID, ticketID } = yield* newMessage({})
        yield* toldMessage(rep, messageID)
        yield* sql`
          insert into event (customer_id, kind, ticket_id, ticket_message_id)
          values (1, 'MessageReceived', ${ticketID}, ${messageID})`
        expect(yield* nextTold(rep, "MessageReceived")).toMatchObject({ messageID })
      })
    )

    it.scoped(
      "tell a new client nothing from before it connected, nor close it, however long a transaction was open",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { messageID, ticketID } = yield* newMessage({})
          const begun = yield* Deferred.make<void>()
          const goOn = yield* Deferred.make<void>()
          const open = Effect.zipRight(sql`select pg_current_xact_id()`, Deferred.succeed(begun, undefined)).pipe(
            Effect.zipRight(Deferred.await(goOn)),
            sql.withTransaction
          )
          const long = yield* Effect.forkScoped(open)
          yield* Deferred.await(begun)
          yield* sql`
          insert into event (customer_id, kind, ticket_id, ticket_message_id)
          select 1, 'MessageReceived', ${ticketID}::int, ${messageID}::int from generate_series(1, 600)`
          yield* heartbeat
          const rep = yield* repPeer("acme-agent")
          for (let beats = 0; beats < 3; beats++) yield* heartbeat
          yield* Deferred.succeed(goOn, undefined)
          yield* Fiber.join(long)
          for (let beats = 0; beats < 3; beats++) yield* heartbeat
          const later = yield* newMessage({ ticketID, senderType: "CustomerRep", status: "Sent" })
          expect(yield* nextTold(rep, "MessageReceived")).toMatchObject({ messageID: later.messageID })
        })
    )

    it.scoped("keep a client that connects after many events", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { messageID, ticketID } = yield* newMessage({})
        yield* sql`
          insert into event (customer_id, kind, ticket_id, ticket_message_id)
          select 1, 'MessageChanged', ${ticketID}::int, ${messageID}::int from generate_series(1, 600)`
        // Any older transaction open on the server would keep them from settling.
        const areSettled = sql`
          select 1 from event where customer_id = 1 and ticket_id = ${ticketID}
            and transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`
        yield* eventually(areSettled, ({ length }) => length === 0, "1 minute")
        const rep = yield* repPeer("acme-agent")
        const neverTold = sql`
          insert into event (customer_id, kind, ticket_id, ticket_message_id)
          values (1, 'MessageReceived', ${ticketID}, ${messageID})`
        yield* Effect.forkScoped(Effect.repeat(neverTold, Schedule.spaced("1 second")))
        const heard = Effect.as(nextTold(rep, "MessageReceived"), "told what was found later")
        expect(yield* Effect.race(heard, Effect.as(rep.ended, "sent away"))).toBe("told what was found later")
      })
    )
  })
}
