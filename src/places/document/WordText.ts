/** Stand-ins for what the patcher would misread in a value: noncharacters, which no text can hold. */
const standIns = [
  // Two of them begin a placeholder, and a value must never be taken for one.
  { written: "{", standIn: "\ufdd0", xml: "{" },
  // The patcher's own mark for the place where a value goes.
  { written: "ɵ", standIn: "\ufdd1", xml: "ɵ" },
  // The patcher decodes &amp; twice.
  { written: "&", standIn: "\ufdd2", xml: "&amp;" }
]

/** Characters that XML 1.0 cannot or should not hold: control characters and noncharacters. */
const unprintable = /[\p{Cc}\ufdd0-\ufdef\ufffe\uffff]/gu

/** Makes a line of text that is safe anywhere in a Word document. */
export const wordText = (text: string) =>
  standIns.reduce(
    (safe, { standIn, written }) => safe.replaceAll(written, standIn),
    text
      .toWellFormed()
      .replace(/[\t\n\r]+/g, " ")
      .replace(unprintable, "")
  )

/** The lines of a text, each safe for a Word document. */
export const wordLines = (text: string) => text.split(/\r\n|\r|\n/).map(wordText)

/** Restores the original characters once the document is assembled. */
export const withoutStandIns = (xml: string) =>
  standIns.reduce((result, { standIn, xml: meant }) => result.replaceAll(standIn, meant), xml)
