const longest = 200

/** Control characters, line separators, and marks that reverse the reading direction to hide an extension. */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

const characters = (text: string) => Array.from(text)

/** Shortens the part before the extension. */
const shortened = (name: string) => {
  const letters = characters(name)
  if (letters.length <= longest) return name
  const extension = characters(/\.[^.]{1,20}$/.exec(name)?.[0] ?? "")
  return [...letters.slice(0, longest - extension.length), ...extension].join("")
}

// The lookbehind makes a long run of dots take linear time: a match is tried only where the run begins.
const trimmed = (name: string) => name.replace(/^[\s.]+|(?<![\s.])[\s.]+$/gu, "")

/** A name that is safe to show, to store and to save under; the caller may have sent a path. */
export const cleanFileName = (written: string) => {
  const plain = written.toWellFormed().normalize("NFC").replace(unsafe, "")
  const [name = ""] = plain.split(/[\\/]/).slice(-1)
  return trimmed(shortened(trimmed(name))) || "file"
}
