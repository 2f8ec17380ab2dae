import pg from "pg"
import { limitSilence, withoutLimit } from "./SilenceLimits.ts"

// Only a text that is seen again gets a name: lists of changing length must not fill the server's memory with names.
const mostNames = 500

/** What one connection has named: what others have seen must not use up its names. */
interface Names {
  readonly seenOnce: Set<string>
  readonly names: Map<string, string>
}

const namesOfClients = new WeakMap<pg.ClientBase, Names>()

const namesOf = (client: pg.ClientBase) => {
  const known = namesOfClients.get(client)
  if (known !== undefined) return known
  const none: Names = { seenOnce: new Set(), names: new Map() }
  namesOfClients.set(client, none)
  return none
}

const nameOf = ({ names, seenOnce }: Names, text: string) => {
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
export const statementOf = (
  client: pg.ClientBase,
  text: string,
  values: ReadonlyArray<unknown>,
  onResult: OnResult
) => {
  const query = new pg.Query(text, [...values], onResult)
  const name = values.length > 0 ? nameOf(namesOf(client), text) : undefined
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
      ? Reflect.apply(query, client, [statementOf(client, text, values, onResult)])
      : Reflect.apply(query, client, given)
  }
  Object.defineProperty(client, "query", { value: prepared })
}
