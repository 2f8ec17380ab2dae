import type { Statement } from "@effect/sql"

/** Returns the condition if the caller gave a value for it, otherwise none. */
export const whenGiven = <A>(
  value: A | undefined,
  condition: (value: A) => Statement.Fragment
): ReadonlyArray<Statement.Fragment> => (value === undefined ? [] : [condition(value)])
