import { ParseResult, Schema } from "effect"
import { anyCase } from "./Fields.ts"

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

export type SortOrder = "asc" | "desc"

export interface PageRequest<SortBy extends string> {
  readonly pageNumber: number
  readonly pageSize: number
  readonly sortBy: SortBy
  readonly sortOrder: SortOrder
}

/** The paging of a list: its query parameters, all optional, and their defaults. */
export const paging = <const Sortable extends ReadonlyArray<string>>(options: {
  /** The field names that the list can be sorted by. */
  readonly sortable: Sortable
  readonly sortBy: Sortable[number]
  readonly sortOrder?: SortOrder
  readonly pageSize?: number
}) => {
  const defaults: PageRequest<Sortable[number]> = {
    pageNumber: 1,
    pageSize: options.pageSize ?? 20,
    sortBy: options.sortBy,
    sortOrder: options.sortOrder ?? "asc"
  }
  const given = { exact: true } as const
  return {
    defaults,
    query: {
      pageNumber: Schema.optionalWith(wholeNumber(1, 2 ** 31 - 1, defaults.pageNumber), given),
      pageSize: Schema.optionalWith(wholeNumber(1, largestPage, defaults.pageSize), given),
      sortBy: Schema.optionalWith(anyCase(options.sortable, defaults.sortBy), given),
      sortOrder: Schema.optionalWith(anyCase(["asc", "desc"], defaults.sortOrder), given).annotations({
        description: `asc when sortBy is given, otherwise ${defaults.sortOrder}`
      })
    }
  }
}

export const Page = <A, I, R>(identifier: string, item: Schema.Schema<A, I, R>) =>
  Schema.Struct({ items: Schema.Array(item), totalCount: Schema.Int, totalPages: Schema.Int }).annotations({
    identifier
  })

/** A page that also repeats the requested page number and size. */
export const NumberedPage = <A, I, R>(identifier: string, item: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    items: Schema.Array(item),
    totalCount: Schema.Int,
    pageNumber: Schema.Int,
    pageSize: Schema.Int
  }).annotations({ identifier })

export const totalPages = (totalCount: number, pageSize: number) => Math.ceil(totalCount / pageSize)
