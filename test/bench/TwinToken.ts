import { createHmac, timingSafeEqual } from "node:crypto"

const secret = process.env["JWT_SECRET"] ?? ""

/** The customer of a valid token; undefined for any other. */
export const customerOf = (authorization: string | undefined): number | undefined => {
  const [head, payload, signature] = (authorization ?? "").slice("Bearer ".length).split(".")
  if (head === undefined || payload === undefined || signature === undefined) return undefined
  const expected = createHmac("sha256", secret).update(`${head}.${payload}`).digest()
  const given = Buffer.from(signature, "base64url")
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const claims: { CustomerID: string; exp: number; iss: string } = JSON.parse(
    Buffer.from(payload, "base64url").toString()
  )
  return claims.exp * 1000 > Date.now() ? Number(claims.CustomerID) : undefined
}

/** Whether a URL needs no token in the header. */
export const isPublic = (url: string) =>
  url.startsWith("/health/") || url.startsWith("/api/File/") || url.startsWith("/api/MailWebhook")
