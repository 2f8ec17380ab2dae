import { ParseResult, Schema } from "effect"

/** Forms send an empty text for a field that was left blank: it means the same as null. */
export const emptyAsNull = <A>(schema: Schema.Schema<A, string>) =>
  Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.typeSchema(schema)), {
    strict: true,
    decode: (text, options) =>
      text.trim() === "" ? ParseResult.succeed(null) : ParseResult.decode(schema, options)(text),
    encode: (value, options) => (value === null ? ParseResult.succeed("") : ParseResult.encode(schema, options)(value))
  })
