/** Remembers the visitor's chat over a reload, in this browser only; where that is forbidden, until the page closes. */
export const makeTicketStore = (channelToken: string) => {
  const key = `casework-chat:${channelToken}`
  let remembered: string | undefined
  /** Private windows and strict settings may forbid it. */
  const tryStorage = <A>(use: (storage: Storage) => A): A | undefined => {
    try {
      return use(localStorage)
    } catch {
      return undefined
    }
  }
  return {
    /** Read anew each time: another tab of the same web site may have begun the chat. */
    get ticketToken() {
      return tryStorage((storage) => storage.getItem(key)) ?? remembered
    },
    remember: (ticketToken: string) => {
      remembered = ticketToken
      tryStorage((storage) => storage.setItem(key, ticketToken))
    },
    forget: () => {
      remembered = undefined
      tryStorage((storage) => storage.removeItem(key))
    }
  }
}

/** A random UUID, also on pages without encryption, where browsers make none by themselves. */
export const newTicketToken = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-a$4-")
}

export type TicketStore = ReturnType<typeof makeTicketStore>
