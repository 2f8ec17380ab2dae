import { HashMap, Logger, Option, Tracer } from "effect"
import { causeWithoutWords, exitWithoutWords, messageWithoutWords } from "./WithoutWords.ts"

/**
 * The attributes of a span that are exported besides numbers: names from the code, and statements without their values.
 */
const spanTexts =
  /^(code\.|db\.|server\.|http\.route$|http\.request\.method$|error\.type$|casework\.request_id$|casework\.job_)/

/** The annotations of a log line that are exported besides numbers. */
const logTexts = new Set(["requestId", "method", "route", "jobID", "kind", "status", "event", "module", "package"])

const mayBeTold = (value: unknown) => typeof value === "number" || typeof value === "boolean"

/** Whether a span belongs to a request or a job. Other spans poll for work or for events, several times a second. */
const isAskedFor = (parent: Option.Option<Tracer.AnySpan>, kind: Tracer.SpanKind) =>
  Option.match(parent, {
    onNone: () => kind === "server" || kind === "consumer",
    // An external caller may leave its own trace out of a sample, and still wants to find the request in the log.
    onSome: (above) => above._tag === "ExternalSpan" || above.sampled
  })

/** Keeps a span and those below it from being exported; what is logged meanwhile still has its trace id. */
const keptBack = (span: Tracer.Span): Tracer.Span => Object.assign(span, { sampled: false, end: () => undefined })

/**
 * Exports spans with what may leave the service and nothing else: no error messages, and no events, which repeat the
 * log.
 */
export const safeTracer = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    context: tracer.context,
    span: (...options) => {
      const span = tracer.span(...options)
      if (!isAskedFor(span.parent, span.kind)) return keptBack(span)
      const { attribute, end } = span
      span.event = () => undefined
      span.attribute = (key, value) => {
        if (mayBeTold(value) || spanTexts.test(key)) attribute.call(span, key, value)
      }
      span.end = (time, exit) => end.call(span, time, exitWithoutWords(exit))
      return span
    }
  })

/**
 * Exports what may leave the service of the log. The rest is in the process's own output, under the same request id.
 */
export const safeLogger = <A>(logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) =>
    logger.log({
      ...options,
      message: messageWithoutWords(options.message),
      cause: causeWithoutWords(options.cause),
      annotations: HashMap.filter(options.annotations, (value, key) => mayBeTold(value) || logTexts.has(key))
    })
  )
