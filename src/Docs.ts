import { HttpApiScalar } from "@effect/platform"

/** Nothing that would need the Internet or send anything there: the page works offline. */
const scalar = {
  withDefaultFonts: false,
  showToolbar: "never",
  hideClientButton: true,
  telemetry: false,
  authentication: { preferredSecurityScheme: "bearer" }
} as const

/** The browsable documentation, made from the contract. */
export const Docs = HttpApiScalar.layer({ path: "/docs", scalar })
