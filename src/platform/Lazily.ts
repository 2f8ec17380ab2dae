/** Made when it is first asked for, and then kept. */
export const lazily = <A>(make: () => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
