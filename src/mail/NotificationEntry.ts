import { Schema } from "effect"
import { Text } from "../../schema/Fields.ts"
import { maybe } from "./GraphShapes.ts"

const text = maybe(Text)

/** One notification. No field is relied on: anybody can send anything. */
export const NotificationEntry = Schema.Struct({
  subscriptionId: text,
  resource: text,
  changeType: text,
  clientState: text,
  lifecycleEvent: text,
  resourceData: maybe(Schema.Struct({ id: text }))
})
export type NotificationEntry = typeof NotificationEntry.Type

const decode = Schema.decodeUnknownOption(NotificationEntry)

/** The valid entries, up to a limit above what the provider ever sends at once. */
export const entriesOf = (payload: unknown): ReadonlyArray<NotificationEntry> => {
  const value = typeof payload === "object" && payload !== null && "value" in payload ? payload.value : undefined
  return Array.isArray(value)
    ? value.slice(0, 5000).flatMap((entry: unknown) => {
        const decoded = decode(entry)
        return decoded._tag === "Some" ? [decoded.value] : []
      })
    : []
}

export interface NotifiedPlace {
  readonly mailbox: string
  readonly externalFolderID: string
}

const unescaped = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The mailbox and the folder that a resource names, in the form in which subscriptions are made. */
export const placeOf = (resource: string | null): NotifiedPlace | undefined => {
  const [, mailbox, folder] =
    /^\/?users\/([^/]+)\/mailFolders\(['"]([^'"]+)['"]\)\/messages(?:\/[^/]+)?\/?$/i.exec(resource ?? "") ?? []
  if (mailbox === undefined || folder === undefined) return undefined
  const place = { mailbox: unescaped(mailbox), externalFolderID: unescaped(folder) }
  // A NUL gets this far when percent-encoded. No folder has one, and the database would refuse the whole query with it.
  return Object.values(place).some((text) => text.includes("\u0000")) ? undefined : place
}

/** Whether a resource is a message in the form that the provider really sends. */
export const namesMessage = (resource: string | null) => /^\/?users\/[^/]+\/messages\/[^/]+\/?$/i.test(resource ?? "")

/** The message that a notification is about; null when it only says that there is one. */
export const messageIDOf = ({ resource, resourceData }: NotificationEntry) =>
  resourceData?.id ?? /\/messages\/([^/]+)\/?$/i.exec(resource ?? "")?.[1] ?? null
