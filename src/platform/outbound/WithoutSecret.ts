import { Redacted } from "effect"

const shortest = 4

/** Removes our secrets from the text of another service: some repeat what they were sent. */
export const withoutSecret = (text: string, ...secrets: ReadonlyArray<Redacted.Redacted>) =>
  secrets
    .map(Redacted.value)
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")])
    .reduce((rest, secret) => rest.replaceAll(secret, "•••"), text)
