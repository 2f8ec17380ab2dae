const names = new Intl.DisplayNames("en", { type: "language", fallback: "none" })

/** A language by its English name; a code that has none stays a code. */
export const languageName = (code: string) => {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}
