import { mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerFromPGlite, openPGlite } from "../../src/platform/database/EmbeddedPostgres.ts"
import { connectTo } from "../../src/platform/database/EmbeddedWire.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

it.scoped("A database folder that was not completely unpacked is started over, and then keeps its data", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporaryFolder, "postgres")
    const ask = <A>(statement: string) =>
      openPGlite({ folder }).pipe(
        Effect.flatMap((pglite) => Effect.promise(() => pglite.query<A>(statement))),
        Effect.map(({ rows }) => rows),
        Effect.scoped
      )
    // As a process leaves it when it dies in the middle.
    yield* Effect.promise(async () => {
      await mkdir(folder)
      await writeFile(join(folder, "PG_VERSION"), "18\n")
      await writeFile(`${folder}.unfinished`, "")
    })
    yield* ask("create table kept as select 7 as seven")
    expect(yield* Effect.promise(() => readdir(join(folder, "..")))).toEqual(["postgres"])
    expect(yield* ask("select seven from kept")).toEqual([{ seven: 7 }])
  })
)

/** The environment variables that the network client reads by default. */
const ofAnotherDatabase = {
  PGHOST: "db.example",
  PGUSER: "somebody",
  PGDATABASE: "another",
  PGSSLMODE: "require",
  PGSSLNEGOTIATION: "direct"
}

const withEnvironment = (given: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Object.keys(given).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, given)
      return before
    }),
    (before) =>
      Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
  )

it.scoped("The embedded database answers as PostgreSQL does, whatever the environment says of another database", () =>
  Effect.gen(function* () {
    yield* withEnvironment(ofAnotherDatabase)
    const answers = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bytes = Buffer.from([0, 1, 255])
      const at = new Date("2026-02-03T04:05:06.789Z")
      yield* sql`create table kept (one int primary key, bytes bytea, at timestamptz, amount numeric, big bigint, data jsonb)`
      yield* sql`insert into kept values (${1}, ${bytes}, ${at}, ${"12.30"}, ${"9007199254740993"}, ${'{"a":[1,null]}'})`
      for (const _ of [1, 2, 3]) {
        expect(yield* sql`select * from kept where one = ${1}`).toEqual([
          { one: 1, bytes, at, amount: "12.30", big: "9007199254740993", data: { a: [1, null] } }
        ])
      }
      const twice = sql`insert into kept (one) values (${1})`
      expect(yield* Effect.flip(twice)).toMatchObject({ cause: { code: "23505", constraint: "kept_pkey" } })
      const halfDone = Effect.zipRight(sql`insert into kept (one) values (${2})`, twice)
      expect((yield* Effect.flip(sql.withTransaction(halfDone)))._tag).toBe("SqlError")
      expect(yield* sql`select one from kept where one > ${0}`.values).toEqual([[1]])
      expect(yield* sql.unsafe("select 1 as a; select 2 as b")).toEqual([[{ a: 1 }], [{ b: 2 }]])
      // Larger than any buffer on the way.
      const large = "ä".repeat(3_000_000)
      expect(yield* sql`select ${large}::text as large`).toEqual([{ large }])
    })
    yield* answers.pipe(Effect.provide(layerFromPGlite(openPGlite({}))))
  })
)

// Not through the client above: how many names that has given depends on what the process did before.
it.scoped("The embedded database knows prepared statements by their names", () =>
  Effect.gen(function* () {
    const client = yield* Effect.flatMap(openPGlite({}), connectTo)
    yield* Effect.promise(async () => {
      for (const one of [1, 2, 3]) {
        const { rows } = await client.query({ name: "kept", text: "select $1::int as one", values: [one] })
        expect(rows).toEqual([{ one }])
      }
      const { rows } = await client.query("select name, from_sql from pg_prepared_statements")
      expect(rows).toEqual([{ name: "kept", from_sql: false }])
    })
  })
)
