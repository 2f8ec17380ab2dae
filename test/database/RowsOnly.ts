import { randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import pg from "pg"
import { layerFromUrl } from "../../src/platform/database/Database.ts"
import { migrated } from "../../src/platform/database/Migrate.ts"
import { eventually } from "../support/Eventually.ts"
import { clientOf, send, testNode } from "../support/TestApp.ts"
import { copyOfTemplate } from "../support/TestDatabase.ts"

const run = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    for (const statement of statements) await owner.query(statement)
    await owner.end()
  })

/** The grants that the README names. */
const grants = (role: string) => [
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
  `alter default privileges in schema public grant select, insert, update, delete on tables to ${role}`,
  `alter default privileges in schema public grant usage on sequences to ${role}`
]

/** The address of a migrated database for a role that owns nothing in it. */
const asRowsOnly = (template: string, name: string) =>
  Effect.gen(function* () {
    const role = `casework_rows_${randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(run(template, `create role ${role} login password 'rows-only'`), () =>
      run(template, `drop role ${role}`)
    )
    // This database is dropped before the role, and with it the role's grants.
    const owners = Redacted.value(yield* copyOfTemplate(template, name))
    yield* run(owners, ...grants(role))
    return Redacted.make(Object.assign(new URL(owners), { username: role, password: "rows-only" }).href)
  })

/** For PostgreSQL only: the embedded database has no logins. */
export const testRowsOnly = (template: { readonly url: string; readonly name: string }) =>
  describe("A role that may only read and write rows", () => {
    it.scopedLive("is enough for a node on a database that has every migration", () =>
      Effect.gen(function* () {
        const url = yield* asRowsOnly(template.url, template.name)
        yield* Effect.gen(function* () {
          expect((yield* send("GET", "/health/ready")).status).toBe(200)
          const { channels, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
          const [channel] = yield* channels.listChannels()
          if (channel === undefined) return yield* Effect.dieMessage("There is no channel")
          const { messageID } = yield* ticketMessagesOnPhone.createTicketMessage({
            payload: { channelID: channel.channelID, message: "What does a new key cost?", uid: "somebody" }
          })
          const message = ticketMessagesOnPhone.getTicketMessage({ path: { id: messageID } })
          yield* eventually(message, ({ aiReply }) => aiReply !== null)
        }).pipe(Effect.provide(testNode(migrated(layerFromUrl(url)))))
      })
    )
  })
