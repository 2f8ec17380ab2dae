import { randomUUID } from "node:crypto"
import type { Arriving } from "./GraphServer.ts"
import type { StoredAttachment } from "./GraphServerState.ts"

const person = (address: string, name = address.split("@")[0]) => ({ emailAddress: { name, address } })

export interface MailParts {
  readonly subject?: string | null
  readonly from?: string
  readonly fromName?: string
  readonly to?: ReadonlyArray<string>
  readonly cc?: ReadonlyArray<string>
  readonly replyTo?: ReadonlyArray<string>
  readonly text?: string
  readonly html?: string
  readonly messageId?: string | null
  readonly conversationId?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly received?: Date
  readonly attachments?: ReadonlyArray<StoredAttachment>
  readonly folder?: string
}

/** A mail as the provider shows it. */
export const mail = (parts: MailParts = {}): Arriving => {
  const from = parts.from ?? "tenant@home.example"
  const received = (parts.received ?? new Date()).toISOString().replace(/\.\d+Z$/, "Z")
  return {
    ...(parts.folder !== undefined && { folder: parts.folder }),
    attachments: parts.attachments ?? [],
    fields: {
      internetMessageId: parts.messageId === undefined ? `<${randomUUID()}@home.example>` : parts.messageId,
      conversationId: parts.conversationId ?? `AAQk${randomUUID()}`,
      subject: parts.subject === undefined ? "A leaking tap" : parts.subject,
      from: person(from, parts.fromName),
      sender: person(from, parts.fromName),
      toRecipients: (parts.to ?? ["support@acme.example"]).map((address) => person(address)),
      ccRecipients: (parts.cc ?? []).map((address) => person(address)),
      replyTo: (parts.replyTo ?? []).map((address) => person(address)),
      receivedDateTime: received,
      sentDateTime: received,
      body:
        parts.html === undefined
          ? { contentType: "text", content: parts.text ?? "The tap in the kitchen leaks." }
          : { contentType: "html", content: parts.html },
      internetMessageHeaders: Object.entries(parts.headers ?? {}).map(([name, value]) => ({ name, value }))
    }
  }
}

export const file = (name: string, contentType: string, bytes: Buffer, inline?: string): StoredAttachment => ({
  id: `att-${randomUUID()}`,
  name,
  contentType,
  bytes,
  isInline: inline !== undefined,
  contentId: inline ?? null,
  kind: "file"
})
