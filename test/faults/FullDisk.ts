import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { numberIn, textIn } from "../support/Fields.ts"
import { ask, login, must } from "./Api.ts"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

const run = promisify(execFile)

/** A disk of a few megabytes. Mounting one needs root. */
const smallDisk = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "casework-disk-"))
    await run("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder])
    return folder
  }),
  (folder) =>
    Effect.promise(async () => {
      await run("umount", ["-l", folder])
      await rm(folder, { recursive: true, force: true })
    })
)

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const unfinishedIn = (folder: string) =>
  Effect.promise(async () => {
    const files = await readdir(folder, { recursive: true })
    return files.filter((file) => file.endsWith(".part"))
  })

/** The disk of the files fills up while files are uploaded; later there is room again. */
export const fullDisk: Fault = Effect.gen(function* () {
  const folder = yield* smallDisk
  const stage = yield* setStage({ nodes: 1, env: { DATA_DIR: folder, BLOB_STORE: "folder" } })
  const { base } = stage.first.process()
  const load = yield* startLoad(stage.target, 2)
  const token = yield* login(base)
  const message = yield* must(base, "POST", "/ticketMessages/create-new", {
    token,
    body: { channelID: stage.target.company.channelID, fromAddress: "+4915100000", message: "with files" }
  })
  const path = `/ticketMessages/${numberIn(message, "messageID")}/attachments`
  const kept = new Map<string, string>()
  const upload = Effect.gen(function* () {
    const bytes = Buffer.from(randomBytes(150_000).toString("hex"))
    const form = new FormData()
    form.set("file", new Blob([bytes], { type: "text/plain" }), "note.txt")
    const answer = yield* ask(base, "POST", path, { token, form })
    if (answer.status === 200) kept.set(textIn(answer.json, "accessToken"), digest(bytes))
    return answer.status
  })
  const filler = join(folder, "filler")
  yield* Effect.promise(() => writeFile(filler, Buffer.alloc(2 * 1024 * 1024)))
  const started = Date.now()
  const statuses: Array<number> = []
  for (let attempt = 0; attempt < 30; attempt++) statuses.push(yield* upload)
  const refused = statuses.filter((status) => status >= 500).length
  const alarms = stage.first.watch.wronglyUnready(started, Date.now())
  const leftovers = yield* unfinishedIn(folder)
  yield* Effect.promise(() => rm(filler))
  const freed = Date.now()
  const again = yield* upload
  const recoveredAfter = secondsSince(freed)
  const lost: Array<string> = []
  for (const [accessToken, expected] of kept) {
    const response = yield* Effect.promise(() => fetch(`${base}/api/File/${accessToken}`))
    const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
    if (digest(bytes) !== expected) lost.push(`file ${accessToken}`)
  }
  const rows = yield* must(base, "GET", path, { token })
  const listed = Array.isArray(rows) ? rows.length : 0
  const findings = yield* judge(stage.postgres, stage.outside, yield* load.end)
  return {
    fault: "disk of the files full",
    rounds: 1,
    ...findings,
    acknowledged: findings.acknowledged + kept.size,
    lost: [
      ...findings.lost,
      ...lost,
      ...(refused === 0 ? ["the disk was never full"] : []),
      ...(again === 200 ? [] : [`an upload with room again answered ${again}`])
    ],
    doubled: [
      ...findings.doubled,
      ...(listed === kept.size ? [] : [`${listed} files are listed, ${kept.size} were acknowledged`]),
      ...leftovers.map((file) => `half a file ${file}`)
    ],
    notes: [`${kept.size} of 31 uploads fitted`, ...findings.notes],
    untruths: alarms > 0 ? [`not ready ${alarms} times although it could serve`] : [],
    recoveredAfter
  }
})
