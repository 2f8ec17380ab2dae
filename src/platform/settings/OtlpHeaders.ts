import { Either } from "effect"

/**
 * Parses headers as OpenTelemetry writes them: name=value, comma-separated, values percent-encoded. Left is the
 * problem.
 */
export const parseOtlpHeaders = (text: string): Either.Either<Readonly<Record<string, string>>, string> =>
  Either.try({
    try: () =>
      Object.fromEntries(
        text.split(",").map((pair) => {
          const [, name = "", value = ""] = /^\s*([\w-]+)\s*=(.*)$/s.exec(pair) ?? []
          if (name === "") throw new Error()
          const header = [name.toLowerCase(), decodeURIComponent(value.trim())] as const
          // Throws on what no request could carry.
          new Headers([[...header]])
          return header
        })
      ),
    catch: () => "Expected name=value, comma-separated, with values percent-encoded"
  })
