import { ParseResult, Schema } from "effect"

export const largestPage = 200

const wholeNumber = (minimum: number, maximum: number, fallback: number) =>
  Schema.transformOrFail(Schema.String, Schema.Int.pipe(Schema.between(minimum, maximum)), {
    strict: true,
    decode: (text, _, ast) => {
      const number = /^-?[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
      return number >= minimum && number <= maximum
        ? ParseResult.succeed(number)
        : ParseResult.fail(new ParseResult.Type(ast, text, `must be a whole number from ${minimum} to ${maximum}`))
    },
    encode: (number) => ParseResult.succeed(String(number))
  }).annotations({ jsonSchema: { type: "integer", minimum, maximum, default: fallback } })

/** One of the given words, in any case. */
const anyCase = <const Words extends ReadonlyArray<string>>(words: Words, fallback: string | undefined) =>
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

export type SortOrder = "asc" | "desc"

/** The paging parameters of a list, with the field names it can be sorted by. */
export const pageQuery = <const Sortable extends ReadonlyArray<string>>(options: {
  readonly sortable: Sortable
  readonly sortBy: Sortable[number]
  readonly sortOrder?: SortOrder
  readonly pageSize?: number
}) => ({
  pageNumber: Schema.optionalWith(wholeNumber(1, 2 ** 31 - 1, 1), { exact: true, default: () => 1 }),
  pageSize: Schema.optionalWith(wholeNumber(1, largestPage, options.pageSize ?? 20), {
    exact: true,
    default: () => options.pageSize ?? 20
  }),
  sortBy: Schema.optionalWith(anyCase(options.sortable, options.sortBy), {
    exact: true,
    default: (): Sortable[number] => options.sortBy
  }),
  sortOrder: Schema.optionalWith(anyCase(["asc", "desc"], options.sortOrder ?? "asc"), {
    exact: true,
    default: (): SortOrder => options.sortOrder ?? "asc"
  })
})

export interface PageRequest<SortBy extends string = string> {
  readonly pageNumber: number
  readonly pageSize: number
  readonly sortBy: SortBy
  readonly sortOrder: SortOrder
}

export const Page = <A, I, R>(identifier: string, item: Schema.Schema<A, I, R>) =>
  Schema.Struct({ items: Schema.Array(item), totalCount: Schema.Int, totalPages: Schema.Int }).annotations({
    identifier
  })

export const totalPages = (totalCount: number, pageSize: number) => Math.ceil(totalCount / pageSize)
