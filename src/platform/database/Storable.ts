/** Makes an external text storable in PostgreSQL: without NUL characters and broken Unicode. */
export const storable = (text: string) => text.replaceAll("\u0000", "").toWellFormed()

/** For JSON.stringify and JSON.parse: makes every text of a value storable. */
export const eachStorable = (_: string, value: unknown) => (typeof value === "string" ? storable(value) : value)
