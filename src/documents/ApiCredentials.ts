import { Effect, type Option, Redacted } from "effect"
import { BadRequest } from "../../schema/Errors.ts"

/** What a document, or its customer, defines about the API. */
export interface ApiAccess {
  readonly baseUrl: string | null
  readonly username: string | null
  readonly password: Redacted.Redacted | null
  readonly token: Redacted.Redacted | null
  readonly authenticationType: string | null
}

/** Without a type, the credentials decide: a token means Bearer, a username or password Basic. */
const typeOf = ({ authenticationType, password, token, username }: ApiAccess) => {
  if (authenticationType !== null) return authenticationType
  if (token !== null) return "Bearer"
  return username !== null || password !== null ? "Basic" : null
}

/** The document's own settings, else the customer's, field by field. */
export const overridden = (own: ApiAccess, customer: ApiAccess): ApiAccess => ({
  baseUrl: own.baseUrl ?? customer.baseUrl,
  username: own.username ?? customer.username,
  password: own.password ?? customer.password,
  token: own.token ?? customer.token,
  authenticationType: typeOf(own) ?? typeOf(customer)
})

const secretText = (secret: Redacted.Redacted | null) => (secret === null ? "" : Redacted.value(secret))

/** The Authorization header that the access calls for. */
export const authorization = (access: ApiAccess): Effect.Effect<Option.Option<Redacted.Redacted>, BadRequest> => {
  switch (access.authenticationType) {
    case "Basic": {
      if (access.username === null && access.password === null) {
        return BadRequest.of("Basic authentication needs a username: set one in the document or for the customer.")
      }
      const pair = `${access.username ?? ""}:${secretText(access.password)}`
      return Effect.succeedSome(Redacted.make(`Basic ${Buffer.from(pair).toString("base64")}`))
    }
    case "Bearer": {
      const token = secretText(access.token)
      return /^[\x21-\x7e]+$/.test(token)
        ? Effect.succeedSome(Redacted.make(`Bearer ${token}`))
        : BadRequest.of(
            token === ""
              ? "Bearer authentication needs a token: set one in the document or for the customer."
              : "The token contains characters that are not allowed in a header. Set it again."
          )
    }
    default:
      return Effect.succeedNone
  }
}
