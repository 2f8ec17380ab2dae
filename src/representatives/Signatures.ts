import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { BadRequest, type Forbidden, type NotFound } from "../../schema/Errors.ts"
import type { CustomerRepID } from "../../schema/Ids.ts"
import type { CustomerRepSignature, SignatureWrite } from "../../schema/Signatures.ts"
import { changedOrNotFound, orNotFound } from "../platform/database/Found.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { mayChange, missing } from "./MayChange.ts"
import { RepresentativesRepo } from "./RepresentativesRepo.ts"
import { SignaturesRepo } from "./SignaturesRepo.ts"

export class Signatures extends Context.Tag("casework/Signatures")<
  Signatures,
  {
    readonly list: (
      customerRepID: CustomerRepID
    ) => Effect.Effect<ReadonlyArray<CustomerRepSignature>, NotFound, CurrentRep>
    readonly get: (
      customerRepID: CustomerRepID,
      lang: string
    ) => Effect.Effect<CustomerRepSignature, NotFound, CurrentRep>
    readonly save: (
      customerRepID: CustomerRepID,
      signature: SignatureWrite
    ) => Effect.Effect<CustomerRepSignature, BadRequest | Forbidden | NotFound, CurrentRep>
    readonly delete: (
      customerRepID: CustomerRepID,
      lang: string
    ) => Effect.Effect<void, Forbidden | NotFound, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Signatures,
    Effect.suspend(() => make)
  )
}

const noSignature = (customerRepID: CustomerRepID, lang: string) =>
  `Representative ${customerRepID} has no signature for ${lang}.`

const nothingYet = { emailSignatureHTML: null, emailSignatureText: null }

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const repo = yield* SignaturesRepo
  const reps = yield* RepresentativesRepo

  const existing = fn("Signatures.existing")(function* (customerRepID: CustomerRepID) {
    const { customerID } = yield* CurrentRep
    yield* reps.find(customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
    return customerID
  })

  return Signatures.of({
    list: fn("Signatures.list")(function* (customerRepID) {
      const customerID = yield* existing(customerRepID)
      return yield* repo.list(customerID, customerRepID)
    }),

    get: fn("Signatures.get")(function* (customerRepID, lang) {
      const customerID = yield* existing(customerRepID)
      return yield* repo.find(customerID, customerRepID, lang).pipe(orNotFound(noSignature(customerRepID, lang)))
    }),

    save: fn("Signatures.save")(function* (customerRepID, { customerRepID: inBody = customerRepID, ...signature }) {
      const { customerID } = yield* CurrentRep
      if (inBody !== customerRepID) {
        return yield* BadRequest.at("customerRepID", `must equal the id in the path, ${customerRepID}`)
      }
      yield* reps.findForUpdate(customerID, customerRepID).pipe(orNotFound(missing(customerRepID)))
      yield* mayChange(customerRepID)
      const stored = yield* repo.find(customerID, customerRepID, signature.lang)
      return yield* repo.save(customerID, customerRepID, {
        ...Option.getOrElse(stored, () => nothingYet),
        ...signature
      })
    }, inTransaction),

    delete: fn("Signatures.delete")(function* (customerRepID, lang) {
      const customerID = yield* existing(customerRepID)
      yield* mayChange(customerRepID)
      yield* repo.delete(customerID, customerRepID, lang).pipe(changedOrNotFound(noSignature(customerRepID, lang)))
    })
  })
})
