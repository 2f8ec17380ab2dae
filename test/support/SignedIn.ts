import { Effect } from "effect"
import { baseUrl, client, login } from "./TestApp.ts"

const tokens = new Map<string, string>()

/** A demo user's token. Each logs in once to an app, since checking a password takes long on purpose. */
export const tokenOf = (username: string) =>
  Effect.gen(function* () {
    const key = `${yield* baseUrl} ${username}`
    const token = tokens.get(key) ?? (yield* login(username))
    tokens.set(key, token)
    return token
  })

/** The typed client that speaks for a demo user. */
export const signedIn = (username: string) => Effect.flatMap(tokenOf(username), client)
