import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { migrations } from "../../migrations/migrations.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { admin } from "./RunAdmin.ts"

layer(TestDatabase, { excludeTestServices: true })("admin migrate", (it) => {
  it.effect("migrates an empty database without demo data, and changes nothing the second time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      expect((yield* admin("migrate")).output).toBe("The database is up to date.")
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      const first = yield* admin("migrate")
      expect(first.output.split("\n")).toEqual(Object.keys(migrations).map((name) => `Applied migration ${name}.`))
      expect((yield* admin("migrate")).output).toBe("The database is up to date.")
      expect((yield* admin("customer", "list")).output).toBe("0 customers")
    })
  )

  it.effect("says in one line which migration failed, and why", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      yield* sql`create table place_description_report (taken boolean)`
      for (const words of [["migrate"], ["customer", "list"]]) {
        const { errors, succeeded } = yield* admin(...words)
        expect(succeeded).toBe(false)
        expect(errors).toEqual(['Migration "6_places" failed: relation "place_description_report" already exists'])
      }
    })
  )
})
