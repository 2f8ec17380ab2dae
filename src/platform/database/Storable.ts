/** What PostgreSQL can store of a text from outside. */
export const storable = (text: string) => text.replaceAll("\u0000", "").toWellFormed()

/** The same for every text of a value that is turned into JSON, or out of it. */
export const eachStorable = (_: string, value: unknown) => (typeof value === "string" ? storable(value) : value)
