import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Layer, Ref } from "effect"
import { inOneLine } from "../../src/KnownError.ts"
import { isDatabaseAway } from "../../src/platform/database/DatabaseAway.ts"
import { checkRoom, FreeBytes, watchRoom } from "../../src/platform/database/DiskRoom.ts"
import { layerFromPGlite, openPGlite } from "../../src/platform/database/EmbeddedPostgres.ts"
import { eventually } from "../support/Eventually.ts"

const megabyte = 1024 * 1024

/** Reports this much free space, and counts how often it is asked for. */
const withFree = (free: Ref.Ref<number>, looks: Ref.Ref<number>) =>
  Layer.succeed(FreeBytes, {
    of: () =>
      Effect.zipRight(
        Ref.update(looks, (count) => count + 1),
        Ref.get(free)
      )
  })

it.live("An embedded database takes no changes while its disk is nearly full, but can be read", () =>
  Effect.gen(function* () {
    const free = yield* Ref.make(1000 * megabyte)
    const looks = yield* Ref.make(0)
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* watchRoom("anywhere")
      yield* sql`create table kept as select 1 as number`
      const write = Effect.either(sql`insert into kept values (2)`)
      yield* Ref.set(free, 63 * megabyte)
      const refused = yield* eventually(write, ({ _tag }) => _tag === "Left")
      expect(refused._tag === "Left" && isDatabaseAway(Cause.fail(refused.left))).toBe(true)
      const [{ count: before } = { count: 0 }] = yield* sql<{ count: number }>`select count(*)::int as count from kept`
      // A little more room is not enough: it would soon be gone again.
      yield* Ref.set(free, 80 * megabyte)
      const looked = yield* Ref.get(looks)
      yield* eventually(Ref.get(looks), (count) => count > looked + 1)
      expect((yield* write)._tag).toBe("Left")
      yield* Ref.set(free, 100 * megabyte)
      yield* eventually(write, ({ _tag }) => _tag === "Right")
      expect(yield* sql`select count(*)::int as count from kept`).toEqual([{ count: before + 1 }])
    }).pipe(Effect.provide(Layer.merge(layerFromPGlite(openPGlite({})), withFree(free, looks))), Effect.scoped)
  })
)

it.effect("A service does not start on a disk that is nearly full", () =>
  Effect.gen(function* () {
    const free = yield* Ref.make(20.5 * megabyte)
    const looks = yield* Ref.make(0)
    const refused = yield* Effect.flip(Effect.sandbox(checkRoom("./data"))).pipe(Effect.provide(withFree(free, looks)))
    expect(inOneLine(refused)).toBe(
      "Settings: DATA_DIR: The disk of the folder ./data has only 20 MB free, but the embedded database needs at least 64 MB"
    )
  })
)
