import { ParseResult, Predicate, Schema } from "effect"

/**
 * A request body. Unknown properties are ignored, every problem is reported, and the server matches the names
 * without regard to case (src/platform/NameBinding.ts derives that from the fields here).
 */
export const Body = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) => {
  const body = Schema.Struct(fields).annotations({ identifier, parseOptions: { errors: "all" } })
  return body.annotations({
    decodingFallback: (issue) =>
      ParseResult.fail(Predicate.isReadonlyRecord(issue.actual) ? issue : noObject(body, issue))
  })
}

const noObject = ({ ast }: Schema.Schema.Any, { actual }: ParseResult.ParseIssue) =>
  new ParseResult.Type(ast, actual, "must be an object")

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

const placeOf = ({ path }: Pick<Problem, "path">) => path.map(String).join(".")

/**
 * A body whose fields must also fit together. The rule runs alongside the checks of the fields, not after them, so it
 * may see values of any type; its problems with a field that is invalid by itself are dropped.
 */
export const BodyWithRule = <Fields extends Schema.Struct.Fields>(
  identifier: string,
  fields: Fields,
  rule: (body: Readonly<Record<string, unknown>>) => ReadonlyArray<Problem>
) => {
  const body = Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })
  const withRule = (issue: ParseResult.ParseIssue) => {
    const { actual } = issue
    if (!Predicate.isReadonlyRecord(actual)) return ParseResult.fail(noObject(body, issue))
    const wrong = new Set(ParseResult.ArrayFormatter.formatIssueSync(issue).map(placeOf))
    const more = rule(actual)
      .filter((problem) => !wrong.has(placeOf(problem)))
      .map(({ message, path }) =>
        path.reduceRight<ParseResult.ParseIssue>(
          (below, name) => new ParseResult.Pointer(name, actual, below),
          new ParseResult.Type(body.ast, actual, message)
        )
      )
    return ParseResult.fail(new ParseResult.Composite(body.ast, actual, [issue, ...more]))
  }
  return body
    .annotations({ decodingFallback: withRule })
    .pipe(Schema.filter((value) => rule({ ...value }), { identifier }))
}

export const Query = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

/** A list in a request: only one with a limit can be refused before each of its items is looked at. */
export const ListUpTo = <A, I, R>(item: Schema.Schema<A, I, R>, maximum: number) =>
  Schema.Array(item).pipe(Schema.maxItems(maximum, { message: () => `must have at most ${maximum} items` }))

/** On create, a missing property and null mean the same. */
export const optional = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(schema, { exact: true, nullable: true })

/** On update, a missing property means leave and null means clear. */
export const clearable = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.optionalWith(Schema.NullOr(schema), { exact: true })

/** On update, a missing property means leave; null is not a value. */
export const changeable = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.optionalWith(schema, { exact: true })

/** Text that PostgreSQL can store: without NUL and without lone surrogates. */
export const Text = Schema.String.pipe(
  Schema.filter((text) => !text.includes("\u0000") && text.isWellFormed(), {
    message: () => "must be text without NUL characters or broken Unicode",
    jsonSchema: {}
  })
)

/** Counts code points, as PostgreSQL and JSON Schema do; in JavaScript one above U+FFFF has length 2. */
export const hasAtMost = (text: string, maximum: number) =>
  text.length <= maximum || (text.length <= 2 * maximum && [...text].length <= maximum)

const lengthBetween = (minimum: number, maximum: number) =>
  Text.pipe(
    Schema.filter((text) => text.length >= minimum && hasAtMost(text, maximum), {
      message: () =>
        minimum === 0
          ? `must be at most ${maximum} characters long`
          : `must be ${minimum} to ${maximum} characters long`,
      jsonSchema: { minLength: minimum, maxLength: maximum },
      arbitrary: () => (fc) => fc.string({ minLength: minimum, maxLength: Math.min(maximum, minimum + 24) })
    })
  )

export const TextUpTo = (maximum: number) => lengthBetween(0, maximum)

/** Text that is trimmed and must not be empty. */
export const TrimmedUpTo = (maximum: number) =>
  Schema.transform(Schema.String, lengthBetween(1, maximum), {
    strict: true,
    decode: (text) => text.trim(),
    encode: (text) => text
  }).annotations({ jsonSchema: { minLength: 1, maxLength: maximum } })

export const Name = TrimmedUpTo(255)

// A JSON Schema annotation that names the type would hide the examples of a field.
export const Integer = Schema.Number.pipe(Schema.int(), Schema.between(-(2 ** 31), 2 ** 31 - 1)).annotations({
  title: "whole number",
  message: () => "must be from -2147483648 to 2147483647"
})

/** true or false in a query, in any case. */
export const QueryBoolean = Schema.transformOrFail(Schema.String, Schema.Boolean, {
  strict: true,
  decode: (text, _, ast) => {
    const word = text.toLowerCase()
    return word === "true" || word === "false"
      ? ParseResult.succeed(word === "true")
      : ParseResult.fail(new ParseResult.Type(ast, text, "must be true or false"))
  },
  encode: (value) => ParseResult.succeed(String(value))
}).annotations({ jsonSchema: { type: "boolean" } })

/** One of the given words, in any case. */
export const anyCase = <const Words extends ReadonlyArray<string>>(words: Words, fallback?: string) =>
  Schema.transformOrFail(Schema.String, Schema.Literal<Words>(...words), {
    strict: true,
    decode: (text, _, ast) => {
      const word = words.find((candidate): candidate is Words[number] => candidate.toLowerCase() === text.toLowerCase())
      return word === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, text, `must be one of ${words.join(", ")}`))
        : ParseResult.succeed(word)
    },
    encode: (word) => ParseResult.succeed(word)
  }).annotations({
    jsonSchema: { type: "string", enum: words, ...(fallback === undefined ? {} : { default: fallback }) }
  })
