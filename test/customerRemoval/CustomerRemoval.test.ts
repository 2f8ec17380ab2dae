import { randomUUID } from "node:crypto"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient, type Statement } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { CustomerRemovalTiming } from "../../src/customerRemoval/CustomerRemoval.ts"
import { customerTables } from "../../src/customerRemoval/CustomerTables.ts"
import { Reactions } from "../../src/events/EventHooks.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"
import { type AdminOptions, admin, adminWith } from "../admin/RunAdmin.ts"
import { exported, leaveTraces } from "../dataRights/RightsTools.ts"
import { capturedLog } from "../http/CapturedLog.ts"
import { repPeer, visitorPeer } from "../hub/HubTools.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { GraphServer } from "../support/GraphServer.ts"
import { attemptPhoneLogin, statusWith, tokenIn } from "../support/Logins.ts"
import { mailApp, subscribedTo } from "../support/MailApp.ts"
import { findTenantTables } from "../support/StatementAudit.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { clientOf, sendJson, testNode, tokenOf } from "../support/TestApp.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

layer(TestDatabase, { excludeTestServices: true })("The list of tables that removing a customer empties", (it) => {
  it.effect("has every table with a customer", () =>
    Effect.gen(function* () {
      expect(
        [...customerTables].toSorted(),
        "add it to src/customerRemoval/CustomerTables.ts, before what it refers to"
      ).toEqual([...(yield* findTenantTables)].toSorted())
    })
  )

  it.effect("has each table before those that it refers to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const references = yield* sql<{ from: string; to: string }>`
        select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
        where contype = 'f' and confdeltype in ('a', 'c') and conrelid <> confrelid and confrelid <> 'customer'::regclass`
      expect(references.length).toBeGreaterThan(20)
      const order = new Map<string, number>(customerTables.map((table, index) => [table, index]))
      expect(references.filter(({ from, to }) => (order.get(from) ?? 0) > (order.get(to) ?? 0))).toEqual([])
    })
  )
})

const log = capturedLog()

const loggedApp = (overrides: Readonly<Record<string, string>> = {}) =>
  testNode(TestDatabase, overrides, log.layer).pipe(Layer.provide(Layer.succeed(Reactions, () => undefined)))

const app = Layer.unwrapScoped(
  Effect.map(temporaryFolder, (DATA_DIR) => mailApp({ BLOB_STORE: "folder", DATA_DIR }, loggedApp))
)

const files = Effect.map(Settings, ({ dataDir }) => ({ BLOB_STORE: "folder", DATA_DIR: dataDir }))

/** Every row of all customers but Acme, without hub_presence, which is rewritten all the time. */
const rowsOfOthers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows: Record<string, unknown> = {}
  for (const table of ["customer", ...customerTables.filter((one) => one !== "hub_presence")]) {
    rows[table] = yield* sql`
      /* all customers: nobody else's rows may change */
      select t::text as row from ${sql(table)} t where customer_id is distinct from 1 order by 1`
  }
  return rows
})

/** The number of Acme's rows by table, without the empty tables. */
const rowsOfAcme = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counts: Record<string, number> = {}
  for (const table of ["customer", ...customerTables]) {
    const [row] = yield* sql<{ count: number }>`
      select count(*)::int as count from ${sql(table)} where customer_id = 1`
    if (row !== undefined && row.count > 0) counts[table] = row.count
  }
  return counts
})

const filesLeft = Effect.flatMap(Settings, ({ dataDir }) =>
  Effect.promise(async () => {
    const found = await readdir(join(dataDir, "files"), { recursive: true, withFileTypes: true })
    return found.filter((one) => one.isFile()).length
  })
)

/** Leaves bytes in the store whose removal is still pending. */
const leaveBytes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { dataDir } = yield* Settings
  const blobID = randomUUID()
  const folder = join(dataDir, "files", "1", blobID.slice(0, 2))
  yield* Effect.promise(() => mkdir(folder, { recursive: true }))
  yield* Effect.promise(() => writeFile(join(folder, blobID), "left"))
  yield* sql`insert into blob_removal (customer_id, about_blob) values (1, ${blobID})`
})

const soon = Layer.succeed(CustomerRemovalTiming, { lettingGo: Duration.seconds(5) })

const removal = (options: AdminOptions, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { graphUrl, port } = yield* GraphServer
    const settings = { ...(yield* files), GRAPH_BASE_URL: graphUrl, OUTBOUND_ALLOW: `127.0.0.1:${port}` }
    return yield* adminWith({ ...options, settings }, "customer", "remove", ...words)
  }).pipe(Effect.provide(soon))

/** Loses the database when the tickets are deleted. */
const losingTheDatabase: Statement.Statement.Transformer = (statement) =>
  statement.compile()[0].includes('delete from "ticket" ')
    ? Effect.die(new Error("connection lost"))
    : Effect.succeed(statement)

layer(app, { excludeTestServices: true })("Removing a customer", (it) => {
  it.effect("needs the name typed at a terminal, or --yes", () =>
    Effect.gen(function* () {
      const before = yield* rowsOfAcme
      expect(yield* removal({}, "Acme Rentals")).toMatchObject({
        succeeded: false,
        errors: [
          'This removes "Acme Rentals" with all its data and cannot be undone. Add --yes to confirm: there is no terminal to ask on.'
        ]
      })
      expect(yield* removal({ typed: "Acme" }, "acme rentals")).toMatchObject({
        succeeded: false,
        errors: ["The name does not match. Nothing was changed."]
      })
      expect(yield* removal({}, "Nobody", "--yes")).toMatchObject({
        succeeded: false,
        errors: [expect.stringMatching(/^There is no customer named "Nobody"\./)]
      })
      expect(yield* rowsOfAcme).toEqual(before)
    })
  )

  it.scoped("removes all its data and nobody else's while the service runs, and resumes after it broke off", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* GraphServer
      const { endUserID } = yield* leaveTraces("zebulon")
      expect((yield* exported(endUserID)).Status).toBe("Succeeded")
      const { address } = yield* subscribedTo("acme-admin")
      const { customers } = yield* clientOf("acme-admin")
      yield* customers.updateCustomer({ payload: { aiProviderApiKey: "sk-secret", apiPassword: "secret" } })
      yield* leaveBytes
      const others = yield* rowsOfOthers
      expect(Object.keys(yield* rowsOfAcme)).toEqual(
        expect.arrayContaining(
          "job outbox_mail audit_log data_request ai_run failed_mail place_description_room_photo blob blob_removal".split(
            " "
          )
        )
      )
      expect(yield* filesLeft).toBeGreaterThan(0)

      const tokens = [yield* tokenOf("acme-admin"), tokenIn(yield* attemptPhoneLogin())]
      const statuses = Effect.forEach(tokens, (token) =>
        Effect.map(sendJson("GET", "/api/EndUsers/byUid?uid=nobody", { token }), ({ status }) => status)
      )
      expect(yield* statuses).toEqual([200, 200])
      const [agent, visitor, stranger] = [
        yield* repPeer("acme-agent"),
        yield* visitorPeer(),
        yield* repPeer("globex-admin")
      ]

      const brokenOff = yield* removal({ statements: losingTheDatabase }, "Acme Rentals", "--yes")
      expect(brokenOff).toMatchObject({ succeeded: false, output: "" })
      expect(brokenOff.errors.at(-1)).toBe("Unexpected error: connection lost")
      expect(yield* statuses).toEqual([401, 401])
      expect([yield* agent.ended, yield* visitor.ended].map(String)).toEqual([
        expect.stringMatching(/revoked/),
        expect.stringMatching(/switched off/)
      ])
      expect(yield* rowsOfAcme).toMatchObject({ customer: 1, ticket: expect.any(Number) })

      const done = yield* removal({ typed: "Acme Rentals" }, "acme rentals")
      expect(done).toMatchObject({ succeeded: true })
      expect(done.output).toMatch(/^Removed customer 1 "Acme Rentals"\.\n.*ticket \d+.*blob \d+/s)
      expect(yield* rowsOfAcme).toEqual({})
      expect(yield* rowsOfOthers).toEqual(others)
      expect(yield* filesLeft).toBe(0)
      expect((yield* server.subscriptions).filter(({ resource }) => resource.includes(address))).toEqual([])
      expect((yield* admin("customer", "list")).output).not.toContain("Acme")

      // Periodic work runs without the removed customer, and a node that starts now refuses its tokens, too.
      log.clear()
      yield* sql`update periodic_work set next_at = now()`
      yield* eventually(sql`select 1 from periodic_work where next_at <= now()`, (rows) => rows.length === 0)
      yield* onAnotherNode(yield* files)(Effect.map(statuses, (all) => expect(all).toEqual([401, 401])))
      expect(yield* statusWith(yield* tokenOf("globex-admin"))).toBe(200)
      expect(stranger.connection.state).toBe("Connected")
      expect(log.entries().filter(({ logLevel }) => logLevel !== "INFO")).toEqual([])
    })
  )

  it.effect("goes on past a subscription whose secret cannot be read", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channelID, customerID } = yield* subscribedTo("initech-admin")
      // The demo's files were stored elsewhere; without the folder its disk would count as not mounted.
      const { dataDir } = yield* Settings
      yield* Effect.promise(() => mkdir(join(dataDir, "files", String(customerID)), { recursive: true }))
      yield* sql`
          update channel set override_mail_provider_client_secret = 'other.key.x'
          where customer_id = ${customerID} and channel_id = ${channelID}`
      const done = yield* removal({}, "Initech Surveys", "--yes")
      expect(done).toMatchObject({ succeeded: true, output: expect.stringMatching(/^Removed customer/) })
      expect(done.errors.at(-1)).toMatch(/^1 subscription could not be ended at the mail provider/)
    })
  )

  it.effect("refuses a customer that is already removed, whose name is free again", () =>
    Effect.gen(function* () {
      expect(yield* removal({}, "Acme Rentals", "--yes")).toMatchObject({
        succeeded: false,
        errors: [expect.stringMatching(/^There is no customer named "Acme Rentals"\./)]
      })
      expect((yield* admin("customer", "create", "Acme Rentals")).output).toMatch(
        /^Created customer \d+ "Acme Rentals"/
      )
    })
  )
})
