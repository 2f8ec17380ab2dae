import { existsSync } from "node:fs"
import { mkdir, readdir, utimes } from "node:fs/promises"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { draw, formOf, newRoom, upload } from "../places/Places.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { testApp } from "../support/TestApp.ts"
import { expectAway } from "./Uploads.ts"

/** This is the folder for temporary files, until the scope ends. */
const inPlaceOfTmp = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env.TMPDIR
      process.env.TMPDIR = path
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env.TMPDIR
        else process.env.TMPDIR = before
      })
  )

/** Too much to be held in memory while it waits. */
const photo = Effect.map(draw(300, 200), (bytes) => ({
  bytes: Buffer.concat([bytes, Buffer.alloc(1_000_000)]),
  name: "hall.jpg"
}))

layer(testApp(), { excludeTestServices: true })("The folder for temporary files", (it) => {
  it.scoped("is rid of what killed processes left there, when another one starts", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* inPlaceOfTmp(folder)
      const names = ["casework-spool-killed", "casework-spool-under-way", "somebody-elses"]
      yield* Effect.promise(() =>
        Promise.all(names.map((name) => mkdir(join(folder, name, "within"), { recursive: true })))
      )
      const longAgo = new Date(Date.now() - 25 * 3600 * 1000)
      for (const name of ["casework-spool-killed", "somebody-elses"]) {
        yield* Effect.promise(() => utimes(join(folder, name), longAgo, longAgo))
      }
      yield* eventually(
        Effect.sync(() => existsSync(join(folder, "casework-spool-killed"))),
        (isThere) => !isThere
      ).pipe(onAnotherNode())
      const left = yield* Effect.promise(() => readdir(folder))
      expect(left.filter((name) => names.includes(name)).sort()).toEqual(["casework-spool-under-way", "somebody-elses"])
    })
  )

  it.effect("is asked for again later when it takes nothing", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const form = formOf([yield* photo])
      const folder = yield* Effect.scoped(temporaryFolder)
      expectAway(yield* Effect.scoped(Effect.zipRight(inPlaceOfTmp(join(folder, "none")), upload(roomID, form))))
      expect((yield* upload(roomID, form)).status).toBe(200)
    })
  )
})
