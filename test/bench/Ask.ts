import { textIn } from "../support/Fields.ts"

export type Headers = Readonly<Record<string, string>>

export const sendsJson = { "content-type": "application/json" }

/** The response to a request that must succeed. */
export const fetched = async (url: string, init: RequestInit) => {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response
}

/** The JSON in the response to a request that must succeed. */
export const read = async (url: string, init: RequestInit): Promise<unknown> => (await fetched(url, init)).json()

/** The headers of a demo user's requests. */
export const login = async (base: string): Promise<Headers> => {
  const body = JSON.stringify({ username: "acme-admin", password: "Demo-Pass-1", hostname: "localhost" })
  const answer = await read(`${base}/api/Auth/login`, { method: "POST", headers: sendsJson, body })
  return { authorization: `Bearer ${textIn(answer, "token")}` }
}
