const plain = "0123456789+-−=()"

const signs = { sup: "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾", sub: "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎" }

const before = { sup: "^", sub: "_" }

/** What is no tag, and its spaces. */
const texts = /(?<=^|>)[^<>]+/g

/**
 * What was raised or lowered, for a text in which nothing is: 10³ must not become 103. Letters alone, as in 1er and
 * 2nd, are read the same way in the line.
 */
export const inRunningText = (name: "sup" | "sub", content: string) => {
  const words = (content.match(texts) ?? []).join("").trim()
  if (!/\d/.test(words)) return content
  const isSigns = [...words].every((sign) => sign.trim() === "" || plain.includes(sign))
  if (isSigns)
    return content.replace(texts, (text) => text.replace(/\S/g, (sign) => signs[name][plain.indexOf(sign)] ?? sign))
  return /<(?:p|h[1-6]|[uo]l|table)\b/.test(content) ? content : `${before[name]}(${content})`
}
