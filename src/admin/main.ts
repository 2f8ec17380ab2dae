import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Layer, Logger } from "effect"
import { DatabaseLive } from "../platform/database/Database.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { runMain } from "../RunMain.ts"
import { commandLine } from "./CommandLine.ts"

const run = commandLine(DatabaseLive, Settings.layer)

const logToStandardError = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.stringLogger))

runMain(run(process.argv).pipe(Effect.provide(Layer.merge(NodeContext.layer, logToStandardError))))
