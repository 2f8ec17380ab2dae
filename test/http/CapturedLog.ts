import { Layer, Logger, LogLevel, Schema } from "effect"

const Entry = Schema.parseJson(
  Schema.Struct({
    message: Schema.Unknown,
    logLevel: Schema.String,
    cause: Schema.optional(Schema.Unknown),
    annotations: Schema.Record({ key: Schema.String, value: Schema.Unknown })
  })
)

const decode = Schema.decodeSync(Entry)

/** Captures the service's log, each line as it is written in production. */
export const capturedLog = () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.jsonLogger, (line) => {
    lines.push(line)
  })
  return {
    layer: Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.Info)),
    lines: (): ReadonlyArray<string> => lines,
    entries: () => lines.map((line) => decode(line)),
    clear: () => {
      lines.length = 0
    }
  }
}
