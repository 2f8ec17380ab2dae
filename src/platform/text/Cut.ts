/** The first characters of a text, as PostgreSQL counts them: half of a character would not be text. */
export const cut = (text: string, longest: number) =>
  text.length <= longest ? text : Array.from(text).slice(0, longest).join("")
