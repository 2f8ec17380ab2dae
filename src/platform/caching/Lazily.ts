/** Makes a value on first use, and keeps it. */
export const lazily = <A>(make: () => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
