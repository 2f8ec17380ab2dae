import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PlatformAccess } from "./Authentication.ts"
import { ignoresIdempotencyKey } from "./Conventions.ts"
import { BadRequest, NotFound, TooManyRequests, Unauthorized } from "./Errors.ts"
import { Body, optional, TextUpTo } from "./Fields.ts"
import { CustomerID, CustomerRepID } from "./Ids.ts"
import { Password } from "./Passwords.ts"

const credential = TextUpTo(1024)

const Login = Body("Login", {
  username: credential.annotations({ examples: ["acme-admin"] }),
  password: credential.annotations({ examples: ["Demo-Pass-1"] }),
  hostname: credential.annotations({
    description: "The host on which the person logs in; localhost skips the check",
    examples: ["acme.example"]
  })
})

const PhoneLogin = Body("PhoneLogin", {
  phoneNumber: credential.annotations({ examples: ["+15550100"] }),
  accountSid: credential.annotations({ description: "The customer's telephonyAccountSID" })
})

const Impersonate = Body("Impersonate", {
  customerID: CustomerID,
  customerRepID: optional(CustomerRepID)
})

const RequestPasswordReset = Body("RequestPasswordReset", {
  email: credential.annotations({ examples: ["admin@acme.example"] }),
  hostname: optional(credential)
})

const ResetPassword = Body("ResetPassword", {
  token: credential.annotations({ description: "The GUID from the mail" }),
  newPassword: Password
})

export class Token extends Schema.Class<Token>("Token")({
  token: Schema.String.annotations({ description: "Send it as Authorization: Bearer <token>" })
}) {}

const Nothing = Schema.Struct({}).annotations({ identifier: "Nothing", jsonSchema: { type: "object" } })

export class AuthApi extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.post("login", "/api/Auth/login")
      .setPayload(Login)
      .addSuccess(Token)
      .addError(Unauthorized)
      .addError(TooManyRequests)
      .annotateContext(
        OpenApi.annotations({
          summary: "Log in",
          description:
            "Returns a token that is valid for 12 hours. A wrong username, password or hostname all return the same 401. After 10 failures in 15 minutes for one username or one address, returns 429."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("phoneLogin", "/api/Auth/phone-login")
      .setPayload(PhoneLogin)
      .addSuccess(Token)
      .addError(Unauthorized)
      .addError(TooManyRequests)
      .annotateContext(
        OpenApi.annotations({
          summary: "Log in a phone call",
          description:
            "The account id must be a customer's telephonyAccountSID and the number must belong to one of its phone channels. The token is accepted only by routes that allow phone context, and ends with its channel."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("impersonate", "/api/Auth/impersonate-by-customer")
      .setPayload(Impersonate)
      .addSuccess(Token)
      .addError(NotFound)
      .middleware(PlatformAccess)
      .annotateContext(ignoresIdempotencyKey)
      .annotateContext(
        OpenApi.annotations({
          summary: "Act as a representative (platform tooling only)",
          description:
            "Returns a token with the claim Impersonated that is valid for 1 hour. Without customerRepID, it is for the customer's default representative, or else its first Admin. Returns 404 when the service has no PLATFORM_KEY. Every use is recorded in the audit log."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("requestPasswordReset", "/api/Auth/request-password-reset")
      .setPayload(RequestPasswordReset)
      .addSuccess(Nothing)
      .annotateContext(
        OpenApi.annotations({
          summary: "Ask for a password reset mail",
          description:
            "Always returns 200 and {}, whether or not a representative matches. The mail contains a link that is valid for 4 hours; a new request invalidates older links."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("resetPassword", "/api/Auth/reset-password")
      .setPayload(ResetPassword)
      .addError(BadRequest)
      .addError(TooManyRequests)
      .annotateContext(
        OpenApi.annotations({
          summary: "Set a new password with a reset token",
          description:
            "204 on success: the token is used up and all earlier logins of the representative end within 5 seconds. 400 for an unknown, expired or used token, and for a weak password (then the token stays usable)."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({ title: "Authentication", description: "Routes that issue and recover credentials." })
  ) {}
