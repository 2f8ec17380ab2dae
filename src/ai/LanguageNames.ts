const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" })

/** Returns the English name of a language; a code without a name is returned as it is. */
export const languageName = (code: string) => {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
