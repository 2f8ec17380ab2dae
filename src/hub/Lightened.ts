import { Schema } from "effect"

const largest = 256 * 1024

const Message = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const heavy = new Set(["pageScreenshot", "htmlBody", "textBody", "message"])

/** A message as JSON without fields that are too large to send to everybody: clients can fetch the message itself. */
export const lightened = (json: string) => {
  if (json.length <= largest) return json
  const fields = Object.entries(Schema.decodeUnknownSync(Message)(json))
  return JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, heavy.has(name) ? null : value])))
}
