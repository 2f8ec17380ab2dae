/** What the hub sends over its web socket, in the SignalR JSON hub protocol. */
export type Received =
  | { readonly kind: "event"; readonly target: string; readonly values: ReadonlyArray<unknown> }
  | { readonly kind: "completion"; readonly invocationId: string; readonly error?: string; readonly result?: unknown }
  | { readonly kind: "close"; readonly error?: string; readonly mayReconnect: boolean }
  | { readonly kind: "ping" }
  | { readonly kind: "handshake"; readonly error?: string }

const separator = "\u001e"

export const handshake = `${JSON.stringify({ protocol: "json", version: 1 })}${separator}`

export const ping = `${JSON.stringify({ type: 6 })}${separator}`

export const invocation = (invocationId: string, target: string, values: ReadonlyArray<unknown>) =>
  `${JSON.stringify({ type: 1, invocationId, target, arguments: values })}${separator}`

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const errorOf = ({ error }: Readonly<Record<string, unknown>>) => (typeof error === "string" ? { error } : {})

const read = (value: unknown): Received | undefined => {
  if (!isRecord(value)) return undefined
  const { allowReconnect, arguments: values, invocationId, result, target, type } = value
  switch (type) {
    case undefined:
      return { kind: "handshake", ...errorOf(value) }
    case 1:
      return typeof target === "string" && Array.isArray(values) ? { kind: "event", target, values } : undefined
    case 3:
      return typeof invocationId === "string"
        ? { kind: "completion", invocationId, result, ...errorOf(value) }
        : undefined
    case 6:
      return { kind: "ping" }
    case 7:
      return { kind: "close", mayReconnect: allowReconnect === true, ...errorOf(value) }
    default:
      return undefined
  }
}

/** The messages of one frame; unknown ones, which a newer server may send, are ignored. */
export const receive = (frame: string): ReadonlyArray<Received> =>
  frame
    .split(separator)
    .filter((text) => text !== "")
    .map((text) => read(parsed(text)))
    .filter((message) => message !== undefined)
