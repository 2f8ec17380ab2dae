import type pg from "pg"

// A text that comes again is worth a name; lists of changing length must not fill the server's memory with names.
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

/** Lets the server plan each statement once a connection and not once a call: planning takes longer than a list. */
export const prepareStatements = (client: pg.PoolClient) => {
  const query = client.query
  const prepared = (text: unknown, values: unknown, ...rest: ReadonlyArray<unknown>): unknown => {
    const name = typeof text === "string" && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
    return Reflect.apply(
      query,
      client,
      name === undefined ? [text, values, ...rest] : [{ name, text, values }, ...rest]
    )
  }
  Object.defineProperty(client, "query", { value: prepared })
}
