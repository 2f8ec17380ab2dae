import type { Statement } from "@effect/sql"

/** A condition that holds only when the caller gave a value for it. */
export const whenGiven = <A>(
  value: A | undefined,
  condition: (value: A) => Statement.Fragment
): ReadonlyArray<Statement.Fragment> => (value === undefined ? [] : [condition(value)])
