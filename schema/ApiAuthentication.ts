import { anyCase } from "./Fields.ts"

/** How calls to the customer's own API say who they are. */
export const ApiAuthentication = anyCase(["None", "Basic", "Bearer"])
export type ApiAuthentication = typeof ApiAuthentication.Type
