import { Schema } from "effect"

export const largestBulk = 500

/** A list of create bodies; the path of a problem starts with the index of the item, from 0. */
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
