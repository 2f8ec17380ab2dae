import type { SqlClient, Statement } from "@effect/sql"

/** Stands in a statement's text for a value that comes with each run. It is bytes because `sql` takes those as a value. */
export class Placeholder extends Uint8Array {}

/** Makes a placeholder; `of` takes its value from the values of each run. */
export type PlaceholderFor<Values> = (of: (values: Values) => unknown) => Placeholder

/**
 * Builds a statement's text once; each run only supplies values. For the few that run all the time: building one and
 * finding its name by the text takes as long as sending it.
 */
export const writtenOnce = <Values>(
  sql: SqlClient.SqlClient,
  write: (place: PlaceholderFor<Values>) => Statement.Statement<object>
) => {
  const places = new Map<unknown, (values: Values) => unknown>()
  const place: PlaceholderFor<Values> = (of) => {
    const mark = new Placeholder()
    places.set(mark, of)
    return mark
  }
  const [written, given] = write(place).compile(true)
  const sent: Array<(values: Values) => unknown> = []
  const numbers = new Map<unknown, number>()
  // A value that is used in several places is sent once.
  const numberOf = (value: unknown) => {
    const number = numbers.get(value) ?? sent.push(places.get(value) ?? (() => value))
    if (places.has(value)) numbers.set(value, number)
    return number
  }
  const text = written.replace(/\$(\d+)/g, (_, number) => `$${numberOf(given[Number(number) - 1])}`)
  return (values: Values): Statement.Statement<object> =>
    sql.unsafe(
      text,
      sent.map((of) => of(values))
    )
}
