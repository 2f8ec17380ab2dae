import { Effect } from "effect"
import { textIn } from "../support/Fields.ts"

export interface ApiAnswer {
  /** 0 when there was no response. */
  readonly status: number
  readonly json: unknown
  readonly headers: Headers
}

/** Sends one request; a broken connection is returned as status 0. */
export const ask = (
  base: string,
  method: string,
  path: string,
  options: {
    readonly token?: string
    readonly body?: unknown
    readonly key?: string
    readonly form?: FormData
    readonly within?: number
  } = {}
) =>
  Effect.promise(async (): Promise<ApiAnswer> => {
    try {
      const response = await fetch(base + path, {
        method,
        signal: AbortSignal.timeout(options.within ?? 60_000),
        headers: {
          ...(options.body !== undefined && { "content-type": "application/json" }),
          ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
          ...(options.key !== undefined && { "idempotency-key": options.key })
        },
        ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
        ...(options.form !== undefined && { body: options.form })
      })
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.includes("json") === true
      return {
        status: response.status,
        json: isJson && text !== "" ? JSON.parse(text) : text,
        headers: response.headers
      }
    } catch {
      return { status: 0, json: undefined, headers: new Headers() }
    }
  })

/** Sends a request that must succeed, and returns its body. */
export const must = (base: string, method: string, path: string, options: Parameters<typeof ask>[3] = {}) =>
  Effect.flatMap(ask(base, method, path, options), ({ json, status }) =>
    status >= 200 && status < 300
      ? Effect.succeed(json)
      : Effect.dieMessage(`${method} ${path} answered ${status}: ${JSON.stringify(json)}`)
  )

export const login = (base: string, username = "acme-admin", password = "Demo-Pass-1") =>
  Effect.map(must(base, "POST", "/api/Auth/login", { body: { username, password, hostname: "localhost" } }), (json) =>
    textIn(json, "token")
  )
