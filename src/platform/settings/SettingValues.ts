import { Config, ConfigError, Either, Option, Redacted } from "effect"

/** Reads a setting; an empty value counts as unset. Left is what is wrong with it. */
export const setting = <A>(name: string, read: (value: string) => Either.Either<A, string>) =>
  Config.nonEmptyString(name).pipe(
    Config.mapOrFail((value) => Either.mapLeft(read(value), (problem) => ConfigError.InvalidData([name], problem)))
  )

export const text = (name: string) => Config.option(Config.nonEmptyString(name))

export const secret = (name: string) =>
  setting(name, (value) =>
    value.trim() === "" ? Either.left("Expected text but received only whitespace") : Either.right(Redacted.make(value))
  ).pipe(Config.option)

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false
}

export const readFlag = (value: string) =>
  Either.fromNullable(words[value.trim().toLowerCase()], () => `Expected true or false but received "${value}"`)

export const flag = (name: string, fallback: boolean) => setting(name, readFlag).pipe(Config.withDefault(fallback))

/** One of a few words, ignoring case. */
export const word = <const Words extends ReadonlyArray<string>>(name: string, words: Words, fallback: Words[number]) =>
  setting(name, (value) =>
    Either.fromNullable(
      words.find((candidate): candidate is Words[number] => candidate === value.trim().toLowerCase()),
      () => `Expected ${words.join(" or ")} but received "${value}"`
    )
  ).pipe(Config.withDefault(fallback))

const numberBetween = (least: number, most: number, value: string) =>
  Option.liftPredicate(Number(value), (number) => /^\d{1,9}$/.test(value.trim()) && number >= least && number <= most)

export const wholeNumber = (name: string, most: number, fallback: number) =>
  setting(name, (value) =>
    Either.fromOption(
      numberBetween(0, most, value),
      () => `Expected a number from 0 to ${most} but received "${value}"`
    )
  ).pipe(Config.withDefault(fallback))

export const highestPort = 65_535

/** 0 lets the system choose. */
export const port = wholeNumber("PORT", highestPort, 3000)

const highestLimit = 1_000_000

/** How much of something is allowed; off is no limit. */
export const limit = (name: string, fallback: number) =>
  setting(name, (value) => {
    if (words[value.trim().toLowerCase()] === false) return Either.right(Option.none<number>())
    const number = numberBetween(1, highestLimit, value)
    return Option.isSome(number)
      ? Either.right(number)
      : Either.left(`Expected a number from 1 to ${highestLimit}, or off, but received "${value}"`)
  }).pipe(Config.withDefault(Option.some(fallback)))

/** An address that paths are appended to, so it has neither a query nor a fragment. */
export const url = (name: string) =>
  setting(name, (value) =>
    URL.canParse(value) && /^https?:\/\/[^\s?#]+$/.test(value)
      ? Either.right(value.replace(/\/+$/, ""))
      : Either.left(
          `Expected an http or https address without ? and # but received "${value.replace(/\/\/.*@/s, "//…@").replace(/[?#].*/s, "…")}"`
        )
  ).pipe(Config.option)

const hasHost = (schemes: ReadonlyArray<string>, value: string) => {
  // The URL of a database on a local socket names it after the question mark, and nothing after the @.
  const named = URL.canParse(value) ? value : value.replace("@/", "@socket/")
  if (!URL.canParse(named)) return false
  const { hostname, protocol, searchParams } = new URL(named)
  const host = named === value ? hostname : ""
  return schemes.includes(protocol.slice(0, -1)) && (host !== "" || searchParams.has("host"))
}

/** An address that may contain a password, so error messages do not repeat it. */
export const secretUrl = (name: string, schemes: ReadonlyArray<string>) =>
  setting(name, (value) =>
    hasHost(schemes, value)
      ? Either.right(Redacted.make(value))
      : Either.left(
          `Expected ${schemes.map((scheme) => `${scheme}://`).join(" or ")} and a host; in a password, write /, ? and # as %2F, %3F and %23`
        )
  ).pipe(Config.option)
