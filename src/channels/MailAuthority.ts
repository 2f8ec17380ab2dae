/** The authority that issues tokens when neither the channel nor the customer names one. */
export const defaultAuthority = "https://login.microsoftonline.com"

/** Whether a secret meant for one authority would reach the same host at the other, whatever the tenant. */
export const isSameAuthority = (one: string | null, other: string | null) =>
  new URL(one ?? defaultAuthority).origin === new URL(other ?? defaultAuthority).origin
