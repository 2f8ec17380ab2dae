import { Statement } from "@effect/sql"
import { Duration, Effect, Layer, Logger, LogLevel } from "effect"
import { AppLive } from "../../src/App.ts"
import { BlobStoreLive } from "../../src/files/BlobStoreLive.ts"
import type { Database } from "../../src/platform/database/Database.ts"
import { StopWork } from "../../src/platform/queue/Jobs.ts"
import { ServerLive } from "../../src/Server.ts"
import { settingsLayer } from "../support/TestApp.ts"
import { TestMailer } from "../support/TestMailer.ts"

/** Controls a node's statements. A dead node sends none to its database, not even to report its failure. */
export interface Life {
  isDead: boolean
  /** While this is set, the node looks for no work. */
  isIdle: boolean
  writes: number
  /** The node dies before this write. */
  lastWrite: number
}

const isWrite = (text: string) => /^\s*(?:with (?!recursive)\w+ as \(\s*)?(?:insert|update|delete)\b/i.test(text)
const looksForWork = (text: string) => text.includes("with recursive waiting")

const statements = (life: Life) =>
  Statement.setTransformer((statement) => {
    const [text] = statement.compile()
    if (isWrite(text) && !life.isIdle) {
      life.writes += 1
      if (life.writes === life.lastWrite) life.isDead = true
    }
    return life.isDead || (life.isIdle && looksForWork(text))
      ? Effect.die(new Error("nobody is there any more"))
      : Effect.succeed(statement)
  })

/** The whole service; its statements fail once it is dead. */
export const mortalNode = <E, R>(
  database: Layer.Layer<Database, E, R>,
  life: Life,
  overrides: Readonly<Record<string, string>>
) =>
  ServerLive.pipe(
    Layer.provideMerge(AppLive),
    Layer.provideMerge(TestMailer.layer),
    Layer.provideMerge(BlobStoreLive),
    Layer.provide(statements(life)),
    Layer.provide(Layer.succeed(StopWork, { within: Duration.zero })),
    Layer.provideMerge(database),
    Layer.provideMerge(settingsLayer(overrides)),
    Layer.provide(Logger.minimumLogLevel(LogLevel.None))
  )
