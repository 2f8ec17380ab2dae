/** Whether the hub lets this client in no more. A browser does not say why a socket did not open; a plain request does. */
export const isRefused = async (hub: string) => {
  const address = new URL(hub)
  address.protocol = address.protocol === "wss:" ? "https:" : "http:"
  address.pathname += "/negotiate"
  try {
    const { status } = await fetch(address, { method: "POST", credentials: "omit" })
    return status === 401 || status === 403
  } catch {
    return false
  }
}
