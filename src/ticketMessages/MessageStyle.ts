const color = /^(?:#[0-9a-f]{3,8}|rgba?\([\d\s.,%]{1,60}\)|[a-z]{3,20})$/i

/** The properties that a message may set, with their values. None of them loads, moves or hides anything. */
const allowed: ReadonlyMap<string, RegExp> = new Map([
  ["color", color],
  ["background-color", color],
  ["font-weight", /^(?:bold|normal|\d{3})$/],
  ["font-style", /^(?:italic|normal)$/],
  ["text-align", /^(?:left|right|center|justify)$/],
  ["text-decoration", /^(?:underline|line-through|none)$/]
])

// The longest that mail programs write are some hundred characters.
const longest = 10_000

const safeDeclaration = (given: string) => {
  const colon = given.indexOf(":")
  const property = given.slice(0, Math.max(0, colon)).trim().toLowerCase()
  const [value = "", ...marks] = given.slice(colon + 1).split("!")
  const isImportant = marks.length === 1 && marks[0]?.trim().toLowerCase() === "important"
  if (marks.length > 0 && !isImportant) return []
  return allowed.get(property)?.test(value.trim()) === true
    ? [`${property}:${value.trim()}${isImportant ? " !important" : ""}`]
    : []
}

/**
 * The declarations of a style attribute that a message may have. The style is not parsed as CSS, which would take a
 * second for a mail that consists of styles: whatever is kept is harmless by itself, wherever it was cut out.
 */
export const safeStyle = (style: string) => style.slice(0, longest).split(";").flatMap(safeDeclaration).join(";")
