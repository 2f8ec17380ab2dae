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
    description: "The host the person logs in at; localhost skips the check",
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
            "Answers a token for 12 hours. A wrong username, password or hostname all answer the same 401. After 10 failures in 15 minutes for one username or one address: 429."
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
          summary: "Log a phone call in",
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
            "Answers a token for 1 hour with the claim Impersonated. Without customerRepID: the customer's default representative, else its first Admin. 404 when the service has no PLATFORM_KEY. Every use is in the audit log."
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
            "Always answers 200 and {}, whether or not a representative matches. The mail holds a link that is valid 4 hours; a new request ends older links."
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
