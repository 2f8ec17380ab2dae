import { Cause, Effect, Exit, Layer, Logger, LogLevel, Tracer } from "effect"

/** Secrets that would be recognised anywhere: one for each field, setting and credential that holds one. */
export const canaries = {
  jwtSecret: "canary-jwt-7f31c9d2e8a4",
  secretsKey: "canary-key-51be90aa37f0",
  platformKey: "canary-platform-c2d87f13",
  apiPassword: "canary-api-password-83ab",
  apiToken: "canary-api-token-1d90ef",
  mailProviderClientSecret: "canary-client-secret-77ce",
  telephonyAuthToken: "canary-telephony-token-62bd",
  aiProviderApiKey: "canary-ai-key-904fd1",
  overrideApiPassword: "canary-override-password-31aa",
  overrideApiToken: "canary-override-token-e55b",
  overrideMailProviderClientSecret: "canary-override-secret-08cd",
  repPassword: "Canary-Password-5d1e",
  newPassword: "Canary-Password-9b7a"
} as const

export type Canary = keyof typeof canaries

/** The forms in which a text could hide. */
const disguises = (text: string) => {
  const bytes = Buffer.from(text)
  return [text, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, ""), encodeURIComponent(text)]
}

/** The names of the secrets in a text, found also inside its base64 parts, as in Basic credentials. */
export const secretsIn = (text: string, secrets: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)].map(([part]) =>
    Buffer.from(part, "base64").toString("latin1")
  )
  const everything = [text, ...decoded].join("\n")
  return Object.entries(secrets)
    .filter(([, secret]) => disguises(secret).some((form) => everything.includes(form)))
    .map(([name]) => name)
}

/** Records every log line of every level, and every span with its attributes and failure. */
export const eavesdropper = () => {
  const heard: Array<string> = []
  const logger = Logger.map(Logger.jsonLogger, (line) => void heard.push(line))
  const tracer = Layer.unwrapEffect(
    Effect.map(Effect.tracer, (native) =>
      Layer.setTracer(
        Tracer.make({
          context: native.context,
          span: (...given) => {
            const span = native.span(...given)
            const end = span.end.bind(span)
            span.end = (at: bigint, exit: Exit.Exit<unknown, unknown>) => {
              const failure = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
              heard.push(`${span.name} ${JSON.stringify([...span.attributes])} ${failure}`)
              end(at, exit)
            }
            return span
          }
        })
      )
    )
  )
  return {
    layer: Layer.mergeAll(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.All), tracer),
    heard: (): ReadonlyArray<string> => heard
  }
}
