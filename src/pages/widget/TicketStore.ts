import { inStorage } from "../dom/InStorage.ts"

/** Remembers the visitor's chat across reloads, in this browser only; without storage, until the page closes. */
export const makeTicketStore = (channelToken: string) => {
  const key = `casework-chat:${channelToken}`
  const seenKey = `casework-chat-seen:${channelToken}`
  const choiceKey = `casework-chat-chosen:${channelToken}`
  let remembered: string | undefined
  let chosen: string | undefined
  let seen = 0
  const tryStorage = <A>(use: (storage: Storage) => A) => inStorage("localStorage", use)
  const chosenToken = () => tryStorage((storage) => storage.getItem(choiceKey)) ?? chosen
  return {
    /** The token of a chat that may be about to begin, here or in another tab of the same web site. */
    get chosenToken() {
      return chosenToken()
    },
    choose: () => {
      const token = chosenToken() ?? newTicketToken()
      chosen = token
      tryStorage((storage) => storage.setItem(choiceKey, token))
      return token
    },
    /** Read from storage each time: another tab of the same web site may have begun the chat. */
    get ticketToken() {
      return tryStorage((storage) => storage.getItem(key)) ?? remembered
    },
    remember: (ticketToken: string) => {
      remembered = ticketToken
      chosen = undefined
      tryStorage((storage) => {
        storage.setItem(key, ticketToken)
        storage.removeItem(choiceKey)
      })
    },
    /** Forgets the chat with this token; one that another tab has begun since stays. */
    forget: (ticketToken: string | undefined) => {
      remembered = undefined
      seen = 0
      tryStorage((storage) => {
        if (storage.getItem(key) !== ticketToken) return
        storage.removeItem(key)
        storage.removeItem(seenKey)
      })
    },
    /** The newest message that the visitor has seen, in this tab or another one. */
    get seen() {
      return Math.max(seen, Number(tryStorage((storage) => storage.getItem(seenKey)) ?? 0) || 0)
    },
    see: (messageID: number) => {
      seen = messageID
      tryStorage((storage) => storage.setItem(seenKey, String(messageID)))
    },
    /** Called when another tab has begun or read the chat. */
    onOtherTab: (run: () => void) =>
      addEventListener("storage", (event) => {
        if (event.key === key || event.key === seenKey) run()
      })
  }
}

/** A random UUID that also works on unencrypted pages, where browsers do not offer randomUUID. */
export const newTicketToken = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-a$4-")
}

export type TicketStore = ReturnType<typeof makeTicketStore>
