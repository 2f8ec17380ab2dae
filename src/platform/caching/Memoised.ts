/** Makes a value for each key once, and keeps it as long as the process lives: for a small number of keys. */
export const memoised = <Key, Value>(make: (key: Key) => Value) => {
  const values = new Map<Key, Value>()
  return (key: Key): Value => {
    const known = values.get(key)
    if (known !== undefined) return known
    const made = make(key)
    values.set(key, made)
    return made
  }
}
