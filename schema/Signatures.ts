import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { TicketAccess } from "./Authentication.ts"
import { emptyAsNull } from "./EmptyText.ts"
import { Forbidden, NotFound } from "./Errors.ts"
import { Body, clearable, optional, TextUpTo } from "./Fields.ts"
import { CustomerRepID, pathId } from "./Ids.ts"
import { LanguageTag } from "./LanguageTag.ts"

const text = Schema.NullOr(Schema.String)

export const SignatureText = emptyAsNull(TextUpTo(100_000))

export class CustomerRepSignature extends Schema.Class<CustomerRepSignature>("CustomerRepSignature")({
  customerRepID: CustomerRepID,
  lang: Schema.String.annotations({ description: "BCP 47 language tag", examples: ["de-AT"] }),
  emailSignatureHTML: text,
  emailSignatureText: text
}) {}

export const SignatureWrite = Body("SignatureWrite", {
  customerRepID: optional(CustomerRepID).annotations({ description: "If given, must equal the id in the path" }),
  lang: LanguageTag,
  emailSignatureHTML: clearable(SignatureText),
  emailSignatureText: clearable(SignatureText)
})
export type SignatureWrite = typeof SignatureWrite.Type

const id = pathId(CustomerRepID)
const lang = HttpApiSchema.param("lang", LanguageTag)

export class SignaturesApi extends HttpApiGroup.make("signatures")
  .add(
    HttpApiEndpoint.get("listSignatures")`/customerReps/${id}/signatures`
      .addSuccess(Schema.Array(CustomerRepSignature))
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "List a representative's signatures",
          description: "One for each language, sorted by language."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("saveSignature")`/customerReps/${id}/signatures`
      .setPayload(SignatureWrite)
      .addSuccess(CustomerRepSignature)
      .addError(NotFound)
      .addError(Forbidden)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Create or change a signature",
          description:
            "For the language in the body. An Admin may do this for anyone, an Agent for itself (otherwise 403). If the signature exists already, missing properties stay unchanged and null clears. The HTML is stored as given, up to 100,000 characters."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("getSignature")`/customerReps/${id}/signatures/${lang}`
      .addSuccess(CustomerRepSignature)
      .addError(NotFound)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Read a signature",
          description:
            "The signature for exactly this language, a BCP 47 tag in any case, otherwise 404. Only sending falls back to the base language, then to the representative's own signature."
        })
      )
  )
  .add(
    HttpApiEndpoint.del("deleteSignature")`/customerReps/${id}/signatures/${lang}`
      .addError(NotFound)
      .addError(Forbidden)
      .middleware(TicketAccess)
      .annotateContext(
        OpenApi.annotations({
          summary: "Delete a signature",
          description: "An Admin may do this for anyone, an Agent for itself (otherwise 403)."
        })
      )
  )
  .annotateContext(
    OpenApi.annotations({
      title: "Signatures",
      description: "The texts below a representative's mails, for each language."
    })
  ) {}
