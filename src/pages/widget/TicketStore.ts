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

export type TicketStore = ReturnType<typeof makeTicketStore>
