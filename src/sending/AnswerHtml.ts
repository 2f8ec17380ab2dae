import { escapeHtml } from "../platform/text/Html.ts"
import { safeHtml } from "../ticketMessages/MessageHtml.ts"

const escaped = (text: string) => escapeHtml(text).replaceAll('"', "&quot;")

const paragraphs = (text: string) =>
  text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll("\n", "<br>")}</p>`)
    .join("")

/** The author's formatting; sanitising may leave nothing. */
const formatted = (html: string | null) => (html === null ? "" : safeHtml(html).trim())

/** The HTML of an answer, followed by the signature. */
export const answerHtml = (
  { html, text }: { readonly html: string | null; readonly text: string },
  signature: { readonly emailSignatureHTML: string | null; readonly emailSignatureText: string | null }
) => {
  const { emailSignatureHTML, emailSignatureText } = signature
  const below =
    emailSignatureHTML === null
      ? emailSignatureText === null
        ? ""
        : paragraphs(emailSignatureText)
      : safeHtml(emailSignatureHTML)
  const words = formatted(html) || paragraphs(text)
  return below === "" ? words : `${words}<div>${below}</div>`
}
