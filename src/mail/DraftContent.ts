import addressparser from "nodemailer/lib/addressparser"
import { escapeHtml } from "../platform/text/Html.ts"
import type { ReplyDraft } from "./GraphShapes.ts"
import type { OutgoingMail } from "./MailGraph.ts"

/** Every mailbox in an address as people write it: "Maria Keller <maria@mail.example>", or several of them. */
export const recipientsOf = (to: string) => {
  const found = addressparser(to, { flatten: true }).filter(({ address }) => address.includes("@"))
  const mailboxes = found.length === 0 ? [{ address: to, name: "" }] : found
  return mailboxes.map(({ address, name }) => ({ emailAddress: name === "" ? { address } : { address, name } }))
}

export const draftOf = ({ html, internetMessageID, subject, to }: OutgoingMail) => ({
  subject,
  body: { contentType: "html", content: html },
  toRecipients: recipientsOf(to),
  internetMessageId: internetMessageID
})

type Body = (typeof ReplyDraft.Type)["body"]

/** The text that a reply quotes, as HTML; a plain-text mail may be quoted as plain text. */
const quoteOf = (body: Body) => {
  const content = body?.content ?? ""
  return body?.contentType?.toLowerCase() === "text" ? escapeHtml(content).replaceAll(/\r?\n/g, "<br>") : content
}

/** Puts an answer above the quoted text that the provider has put into the draft. */
const aboveQuote = (html: string, quote: string) => {
  const body = /<body[^>]*>/i.exec(quote)
  const at = body === null ? 0 : body.index + body[0].length
  return `${quote.slice(0, at)}${html}${quote.slice(at)}`
}

/** The content of a reply whose draft the provider has made. */
export const filledDraft = (mail: OutgoingMail, { body }: typeof ReplyDraft.Type) =>
  draftOf({ ...mail, html: aboveQuote(mail.html, quoteOf(body)) })
