import { Schema } from "effect"

export const largestBulk = 500

/** A body of several create bodies; a problem's path starts with the place in the list, from 0. */
export const Bulk = <A, I, R>(identifier: string, item: Schema.Schema<A, I, R>, example: ReadonlyArray<A>) => {
  const message = () => `must be a list of 1 to ${largestBulk} items`
  return Schema.Array(item)
    .pipe(Schema.minItems(1, { message }), Schema.maxItems(largestBulk, { message }))
    .annotations({
      identifier,
      title: identifier,
      description: `1 to ${largestBulk} items`,
      examples: [example],
      parseOptions: { errors: "all" }
    })
}
