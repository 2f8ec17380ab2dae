const plain = "0123456789+-−=()"

const signs = { sup: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", sub: "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎" }

const before = { sup: "^", sub: "_" }

/** The text between tags, with its spaces. */
const texts = /(?<=^|>)[^<>]+/g

/**
 * Writes superscript or subscript content for plain text: 10³ must not become 103. Letters alone, as in 1er and 2nd,
 * read the same on the line.
 */
export const inRunningText = (name: "sup" | "sub", content: string) => {
  const words = (content.match(texts) ?? []).join("").trim()
  if (!/\d/.test(words)) return content
  const isSigns = [...words].every((sign) => sign.trim() === "" || plain.includes(sign))
  if (isSigns)
    return content.replace(texts, (text) => text.replace(/\S/g, (sign) => signs[name][plain.indexOf(sign)] ?? sign))
  return /<(?:p|h[1-6]|[uo]l|table)\b/.test(content) ? content : `${before[name]}(${content})`
}
