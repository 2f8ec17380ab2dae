const channel = (value: number) => {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** The luminance of a colour such as #2457d6, from 0 to 1, as WCAG defines it. */
const luminance = (colour: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(Number.parseInt(colour.slice(at, at + 2), 16)))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export const contrast = (one: string, other: string) => {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (brighter + 0.05) / (darker + 0.05)
}

/** White, or black where white would be unreadable. */
export const textOn = (background: string) => (contrast(background, "#ffffff") >= 4.5 ? "#ffffff" : "#000000")

const mixed = (colour: string, other: string, share: number) =>
  `#${[1, 3, 5]
    .map((at) => {
      const [own, added] = [colour, other].map((one) => Number.parseInt(one.slice(at, at + 2), 16))
      const value = Math.round((own ?? 0) * (1 - share) + (added ?? 0) * share)
      return value.toString(16).padStart(2, "0")
    })
    .join("")}`

/** The colour itself, or as much lighter or darker as it must be to be readable on a background. */
export const readableOn = (colour: string, background: string) => {
  const other = luminance(background) > 0.18 ? "#000000" : "#ffffff"
  const shares = Array.from({ length: 11 }, (_, index) => index / 10)
  return shares.map((share) => mixed(colour, other, share)).find((one) => contrast(one, background) >= 4.5) ?? other
}
