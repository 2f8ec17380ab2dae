import { HttpApiScalar } from "@effect/platform"

/** An invisible strip below each response is as wide as the page and begins at the text: on a phone it stuck out. */
const customCss = ".parameter-item-trigger { position: relative }"

/** Nothing that would need the Internet or send anything there: the page works offline. */
const scalar = {
  withDefaultFonts: false,
  showToolbar: "never",
  hideClientButton: true,
  telemetry: false,
  customCss,
  authentication: { preferredSecurityScheme: "bearer" }
} as const

/** The browsable documentation, made from the contract. */
export const Docs = HttpApiScalar.layer({ path: "/docs", scalar })
