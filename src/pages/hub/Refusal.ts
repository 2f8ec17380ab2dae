/**
 * The status with which the hub refuses this client. A browser does not say why a socket did not open, but a plain
 * request does.
 */
export const refusalOf = async (hub: string) => {
  const address = new URL(hub)
  address.protocol = address.protocol === "wss:" ? "https:" : "http:"
  address.pathname += "/negotiate"
  try {
    const { status } = await fetch(address, { method: "POST", credentials: "omit" })
    return [401, 403, 429].find((refusal) => refusal === status)
  } catch {
    return undefined
  }
}
