import { Effect } from "effect"
import { BadRequest } from "../../schema/Errors.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import { type DeliveryRoute, NotDelivered, type OutboundMessage } from "../delivery/Delivery.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { Mailer } from "../platform/systemMail/Mailer.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { ReplySignatures } from "../representatives/ReplySignatures.ts"
import type { SignatureTexts } from "../representatives/SignatureFallback.ts"
import { textOfHtml } from "../ticketMessages/MessageHtml.ts"
import { makeAnswerFiles } from "./AnswerFiles.ts"
import { answerHtml } from "./AnswerHtml.ts"

/** How mail programs in many languages mark a reply, as in Re:, AW: or RE[2]:. */
const replyPrefix =
  /^\s*(?:re|aw|antw|antwort|sv|vs|odp|r|rif|ref|res|ynt|vá|atb|απ|σχετ|回复|回覆|答复|答覆)\s*(?:[[(]\d+[\])])?\s*[:：]/iu

export const subjectOf = ({ isReply, subject }: Pick<OutboundMessage, "isReply" | "subject">) => {
  if (subject === null || subject.trim() === "") return "Your message"
  return isReply && !replyPrefix.test(subject) ? `Re: ${subject}` : subject
}

export const signatureOf = ({ emailSignatureHTML, emailSignatureText }: SignatureTexts) =>
  emailSignatureText ?? (emailSignatureHTML === null ? null : textOfHtml(emailSignatureHTML))

/** Sends answers by mail where the customer has no mail provider, through the service's own mailer. */
export const makeMailDelivery = Effect.gen(function* () {
  const mailer = yield* Mailer
  const signatures = yield* ReplySignatures
  const filesOf = yield* makeAnswerFiles
  const { baseUrl } = yield* Settings
  const host = new URL(baseUrl).hostname
  return {
    check: ((_, { address }) =>
      address === null
        ? BadRequest.of(
            "There is no address to send to: set the end user's Email, or send a new message with a toAddress."
          )
        : Effect.void) satisfies DeliveryRoute["check"],
    deliver: fn("MailDelivery.deliver")(function* (
      customerID: CustomerID,
      message: OutboundMessage,
      /** Where replies go: the mail itself comes from the service's own address. */
      replyTo: string | null
    ) {
      if (message.address === null)
        return yield* new NotDelivered({ message: "There is no address to send to", permanent: true })
      const texts = yield* signatures.find(customerID, message.customerRepID, message.language)
      const signature = signatureOf(texts)
      yield* mailer
        .send(customerID, {
          to: message.address,
          subject: subjectOf(message),
          text: signature === null ? message.text : `${message.text}\n\n-- \n${signature}`,
          ...(message.html !== null && { html: answerHtml(message, texts) }),
          ...(replyTo !== null && { replyTo }),
          isAutomatic: message.customerRepID === null,
          about: message.ticketMessageID,
          messageId: `<casework-${message.ticketMessageID}-${message.ticketToken}@${host}>`,
          files: yield* filesOf(customerID, message.ticketMessageID)
        })
        .pipe(
          Effect.mapError(
            ({ hasLeft, hasStayed, isRefused, message: said }) =>
              new NotDelivered({ message: said, permanent: isRefused, isAway: hasStayed, hasLeft })
          )
        )
    })
  }
})
