/** The page size and margin in twentieths of a point (A4). */
export const page = { width: 11_906, height: 16_838, margin: 1134 }

export const textWidth = page.width - 2 * page.margin
