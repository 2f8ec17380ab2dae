import { Context, Effect, Layer, Option } from "effect"
import type { CustomerID, CustomerRepID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { RepresentativesRepo } from "./RepresentativesRepo.ts"
import { chooseSignature, type SignatureTexts } from "./SignatureFallback.ts"
import { SignaturesRepo } from "./SignaturesRepo.ts"

const none: SignatureTexts = { emailSignatureHTML: null, emailSignatureText: null }

/** The signature below a representative's answers, in the ticket's language. */
export class ReplySignatures extends Context.Tag("casework/ReplySignatures")<
  ReplySignatures,
  {
    readonly find: (
      customerID: CustomerID,
      customerRepID: CustomerRepID | null,
      language: string | null
    ) => Effect.Effect<SignatureTexts>
  }
>() {
  static readonly layer = Layer.effect(
    ReplySignatures,
    Effect.gen(function* () {
      const representatives = yield* RepresentativesRepo
      const signatures = yield* SignaturesRepo
      return {
        find: fn("ReplySignatures.find")(function* (customerID, customerRepID, language) {
          if (customerRepID === null) return none
          const rep = yield* representatives.find(customerID, customerRepID)
          if (Option.isNone(rep)) return none
          return chooseSignature(language, yield* signatures.list(customerID, customerRepID), rep.value)
        })
      }
    })
  )
}
