import { existsSync } from "node:fs"
import { mkdir, readdir, stat, utimes } from "node:fs/promises"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Stream } from "effect"
import sharp from "sharp"
import { spooled } from "../../src/files/Spool.ts"
import { openSocket } from "../http/RawRequest.ts"
import { draw, formOf, newRoom, reportsPath, rowsOf, upload } from "../places/Places.ts"
import { onAnotherNode } from "../support/AnotherNode.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { send, testApp, tokenOf } from "../support/TestApp.ts"
import { expectAway } from "./Uploads.ts"

/** Makes this the folder for temporary files until the scope ends. */
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

/** A photo that is too large to be held in memory while it waits. */
const photo = Effect.map(draw(300, 200), (bytes) => ({
  bytes: Buffer.concat([bytes, Buffer.alloc(1_000_000)]),
  name: "hall.jpg"
}))

/** A picture that is far larger than the buffers of a connection. */
const noise = Effect.promise(async () => {
  const create = {
    width: 2048,
    height: 768,
    channels: 3,
    background: "#000",
    noise: { type: "gaussian", mean: 128, sigma: 60 }
  } as const
  return {
    bytes: await sharp({ create }).png({ compressionLevel: 1 }).toBuffer(),
    name: "noise.png",
    type: "image/png"
  }
})

/** Asks for a document, and reads no further than its headers. */
const beginExport = (reportID: number) =>
  Effect.gen(function* () {
    const [socket, token] = [yield* openSocket, yield* tokenOf("acme-admin")]
    socket.write(
      `GET ${reportsPath}/${reportID}/export/docx HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    )
    const head = yield* Effect.async<string>((resume) => {
      socket.once("data", (bytes) => {
        socket.pause()
        resume(Effect.succeed(bytes.toString("latin1").split("\r\n\r\n", 1).join()))
      })
    })
    return { head, socket }
  })

layer(testApp(), { excludeTestServices: true })("The folder for temporary files", (it) => {
  it.scoped("loses what killed processes left there when another process starts", () =>
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

  it.scoped("holds a whole document while it is sent, and no longer when its reader is gone", () =>
    Effect.gen(function* () {
      const { reportID, roomID } = yield* newRoom()
      const picture = yield* noise
      yield* rowsOf(yield* upload(roomID, formOf([picture, picture])))
      const folder = yield* temporaryFolder
      yield* inPlaceOfTmp(folder)
      const spools = Effect.promise(() => readdir(folder))
      const { head, socket } = yield* beginExport(reportID)
      const [name = "none"] = yield* spools
      const { size } = yield* Effect.promise(() => stat(join(folder, name, "bytes")))
      expect(size).toBeGreaterThan(8_000_000)
      expect(head.toLowerCase()).toContain(`content-length: ${size}`)
      socket.destroy()
      yield* eventually(spools, ({ length }) => length === 0)
    })
  )

  it.scoped("causes a 503 when it cannot take a document, and keeps none that was sent", () =>
    Effect.gen(function* () {
      const { reportID } = yield* newRoom()
      const token = yield* tokenOf("acme-admin")
      const ask = send("GET", `${reportsPath}/${reportID}/export/docx`, {
        headers: { authorization: `Bearer ${token}` }
      })
      const folder = yield* temporaryFolder
      expectAway(yield* Effect.scoped(Effect.zipRight(inPlaceOfTmp(join(folder, "none")), ask)))
      yield* inPlaceOfTmp(folder)
      expect((yield* ask).headers.get("content-length")).toMatch(/^\d+$/)
      yield* eventually(
        Effect.promise(() => readdir(folder)),
        ({ length }) => length === 0
      )
    })
  )

  it.scoped("keeps nothing of a file that breaks off", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* inPlaceOfTmp(folder)
      const full = Stream.concat(Stream.make(Buffer.alloc(1000)), Stream.dieMessage("the disk is full"))
      const exit = yield* Effect.exit(Effect.scoped(spooled(full)))
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("the disk is full")
      expect(yield* Effect.promise(() => readdir(folder))).toEqual([])
    })
  )

  it.effect("causes a 503 when it cannot take an uploaded photo", () =>
    Effect.gen(function* () {
      const { roomID } = yield* newRoom()
      const form = formOf([yield* photo])
      const folder = yield* Effect.scoped(temporaryFolder)
      expectAway(yield* Effect.scoped(Effect.zipRight(inPlaceOfTmp(join(folder, "none")), upload(roomID, form))))
      expect((yield* upload(roomID, form)).status).toBe(200)
    })
  )
})
