import type { SqlClient, Statement } from "@effect/sql"

/** Makes a placeholder for a value in a statement; `of` takes the value from the values of each run. */
export type Place<Values> = (of: (values: Values) => unknown) => Uint8Array

/**
 * Builds a statement's text once; each run only supplies values. For the few that run all the time: building one and
 * finding its name by the text takes as long as sending it.
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
