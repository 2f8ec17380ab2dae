import type { SqlClient, Statement } from "@effect/sql"

/** Stands in a statement for a value; `of` takes it from the values of each run. */
export type Place<Values> = (of: (values: Values) => unknown) => Uint8Array

/**
 * A statement whose text is put together once, and which each run gives its values. For the few that run all the time:
 * putting one together and finding its name by that text takes as long as sending it.
 */
export const writtenOnce = <Values>(
  sql: SqlClient.SqlClient,
  write: (place: Place<Values>) => Statement.Statement<object>
) => {
  const places = new Map<unknown, (values: Values) => unknown>()
  const place: Place<Values> = (of) => {
    const mark = new Uint8Array(0)
    places.set(mark, of)
    return mark
  }
  const [written, given] = write(place).compile(true)
  const sent: Array<(values: Values) => unknown> = []
  const numbers = new Map<unknown, number>()
  // What stands in several places is sent once.
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
