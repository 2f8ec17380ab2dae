/** What PostgreSQL can store of a text from outside. */
export const storable = (text: string) => text.replaceAll("\u0000", "").toWellFormed()
