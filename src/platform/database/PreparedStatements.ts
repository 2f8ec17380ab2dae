import pg from "pg"
import { limitSilence, withoutLimit } from "./SilenceLimits.ts"

// Only a text that is seen again gets a name: lists of changing length must not fill the server's memory with names.
const mostNames = 500
const seenOnce = new Set<string>()
const names = new Map<string, string>()

const nameOf = (text: string) => {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  if (seenOnce.delete(text)) {
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
  if (seenOnce.size >= mostNames) seenOnce.clear()
  seenOnce.add(text)
  return undefined
}

export type OnResult = (error: Error | null | undefined, result: pg.QueryResult | ReadonlyArray<pg.QueryResult>) => void

/**
 * Builds a statement to send. Its name is set afterwards: a config object with a name would be copied property by
 * property.
 */
export const statementOf = (text: string, values: ReadonlyArray<unknown>, onResult: OnResult) => {
  const query = new pg.Query(text, [...values], onResult)
  const name = values.length > 0 ? nameOf(text) : undefined
  return name === undefined ? query : Object.assign(query, { name })
}

const isCallback = (value: unknown): value is OnResult => typeof value === "function"

/**
 * Makes the server plan each statement once per connection instead of once per call: planning takes longer than a list.
 */
export const prepareStatements = (client: pg.PoolClient) => {
  const query = client.query
  const prepared = (...given: ReadonlyArray<unknown>): unknown => {
    const [text, values, onResult] = given
    if (text === withoutLimit) limitSilence(client, 0)
    return typeof text === "string" && Array.isArray(values) && isCallback(onResult)
      ? Reflect.apply(query, client, [statementOf(text, values, onResult)])
      : Reflect.apply(query, client, given)
  }
  Object.defineProperty(client, "query", { value: prepared })
}
