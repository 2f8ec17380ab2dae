import { Schema } from "effect"

/** Others than the database can have are of no row. */
export const isRowID = Schema.is(Schema.Int.pipe(Schema.between(1, 2 ** 31 - 1)))
