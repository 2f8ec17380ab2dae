import { Redacted } from "effect"

const shortest = 4

/** What somebody outside said, without the secret that we had told them: some repeat what they were given. */
export const withoutSecret = (text: string, ...secrets: ReadonlyArray<Redacted.Redacted>) =>
  secrets
    .map(Redacted.value)
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")])
    .reduce((rest, secret) => rest.replaceAll(secret, "•••"), text)
