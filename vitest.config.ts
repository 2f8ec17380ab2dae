import { availableParallelism, totalmem } from "node:os"
import { defineConfig } from "vitest/config"

const onPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""

const gibibytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 2 ** 30

/**
 * More than two cores can run, since tests also wait, and more so for a database in other processes; each takes about
 * half a gigabyte, and the browsers as much.
 */
const fewest = onPostgres ? 6 : 4
const forks = Math.max(2, Math.min(Math.max(fewest, availableParallelism()), 12, Math.floor(gibibytes)))

/** A browser's work, texts, pictures and Word documents are the same with every database. */
const withoutDatabase = [
  "test/database/{DiskRoom,EmbeddedPostgres,FolderLock}.test.ts",
  "test/files/{FileRules,ZipStream}.test.ts",
  "test/http/{FormStream,Routes,SendResponse}.test.ts",
  "test/pages/**",
  "test/places/{Direction,Document,LongReport,PictureMemory,RoomHtml,Tables}.test.ts",
  "test/platform/{Container,HostileTexts}.test.ts",
  "test/ticketMessages/MessageText.test.ts"
]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: onPostgres ? withoutDatabase : [],
    globalSetup: ["test/support/GlobalSetup.ts"],
    setupFiles: ["test/support/LateCompiling.ts", "test/support/Seed.ts"],
    // Only what hangs meets them: a machine may be many times slower than the one that a test was written on.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    pool: "forks",
    // Every test builds its own layers: nothing leaks through modules, and they load once a worker.
    isolate: false,
    poolOptions: { forks: { minForks: forks, maxForks: forks } }
  }
})
