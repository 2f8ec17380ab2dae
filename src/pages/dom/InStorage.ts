/** Private windows and strict settings may forbid storage, and it may be full. */
export const inStorage = <A>(kind: "localStorage" | "sessionStorage", use: (storage: Storage) => A): A | undefined => {
  try {
    return use(globalThis[kind])
  } catch {
    return undefined
  }
}
