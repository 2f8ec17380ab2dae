import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Signatures } from "./Signatures.ts"

export const SignaturesHttp = HttpApiBuilder.group(CaseworkApi, "signatures", (handlers) =>
  Effect.gen(function* () {
    const signatures = yield* Signatures
    return handlers
      .handle("listSignatures", ({ path }) => signatures.list(path.id))
      .handle("getSignature", ({ path }) => signatures.get(path.id, path.lang))
      .handle("saveSignature", ({ path, payload }) => signatures.save(path.id, payload))
      .handle("deleteSignature", ({ path }) => signatures.delete(path.id, path.lang))
  })
)
