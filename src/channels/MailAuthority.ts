/** Who gives tokens where neither the channel nor the customer names somebody. */
export const defaultAuthority = "https://login.microsoftonline.com"

/** Whether a secret that was meant for the one is in the same hands at the other, for whichever tenant. */
export const isSameAuthority = (one: string | null, other: string | null) =>
  new URL(one ?? defaultAuthority).origin === new URL(other ?? defaultAuthority).origin
