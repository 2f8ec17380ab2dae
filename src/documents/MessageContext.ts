import type { Values } from "./Placeholders.ts"

/** What placeholders can use from the message that a document is filled for. */
export interface MessageContext {
  readonly message: { readonly text: string | null; readonly subject: string | null }
  readonly ticket: {
    readonly id: number
    readonly subject: string | null
    readonly status: string
    readonly fields: Readonly<Record<string, unknown>>
  }
  readonly endUser: {
    readonly firstName: string | null
    readonly lastName: string | null
    readonly displayName: string | null
    readonly email: string | null
    readonly phone: string | null
    readonly customerRef: string | null
  } | null
}

const fieldPrefix = "Ticket.field."

const asText = (value: unknown) =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)

/** The placeholder values of a message; what it does not have is empty. */
export const messageValues = ({ endUser, message, ticket }: MessageContext): Values => {
  const known = new Map<string, unknown>([
    ["Message.text", message.text],
    ["Message.subject", message.subject],
    ["Ticket.id", ticket.id],
    ["Ticket.subject", ticket.subject],
    ["Ticket.status", ticket.status],
    ["EndUser.firstName", endUser?.firstName],
    ["EndUser.lastName", endUser?.lastName],
    ["EndUser.displayName", endUser?.displayName],
    ["EndUser.email", endUser?.email],
    ["EndUser.phone", endUser?.phone],
    ["EndUser.customerRef", endUser?.customerRef]
  ])
  const fields = new Map(Object.entries(ticket.fields))
  return (name) => {
    if (name.startsWith(fieldPrefix)) return asText(fields.get(name.slice(fieldPrefix.length)))
    return known.has(name) ? asText(known.get(name)) : undefined
  }
}
