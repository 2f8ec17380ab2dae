import { Effect } from "effect"
import { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { type Answer, sendJson } from "./TestApp.ts"

/** For tokens that no login issues. */
export const acmeAdmin = {
  customerID: CustomerID.make(1),
  customerRepID: CustomerRepID.make(1),
  username: "acme-admin",
  role: "Admin",
  timeZone: null,
  securityVersion: 1
} as const

let used = 0

/** An address that no other attempt has used, so that only the attempts a test wants throttled are. */
export const freshAddress = () => {
  used += 1
  return `10.0.${used >> 8}.${used & 255}`
}

const post = (path: string, body: unknown, address: string) =>
  sendJson("POST", `/api/Auth/${path}`, { body, headers: { "x-forwarded-for": address } })

export const attemptLogin = (
  fields: { readonly username?: string; readonly password?: string; readonly hostname?: string } = {},
  address = freshAddress()
) => post("login", { username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost", ...fields }, address)

export const attemptPhoneLogin = (
  fields: { readonly phoneNumber?: string; readonly accountSid?: string } = {},
  address = freshAddress()
) => post("phone-login", { phoneNumber: "+15550100", accountSid: "ACdemo0000acme", ...fields }, address)

export const askForReset = (email: string, hostname = "localhost", address = freshAddress()) =>
  post("request-password-reset", { email, hostname }, address)

export const resetPassword = (token: string, newPassword: string, address = freshAddress()) =>
  post("reset-password", { token, newPassword }, address)

/** The token in a response; "" when there is none. */
export const tokenIn = ({ json }: Answer) =>
  typeof json === "object" && json !== null && "token" in json && typeof json.token === "string" ? json.token : ""

/** The status of a route that any representative may use. */
export const statusWith = (token: string) =>
  Effect.map(sendJson("GET", "/api/Actions", { token }), ({ status }) => status)
