import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Representatives } from "./Representatives.ts"

export const RepresentativesHttp = HttpApiBuilder.group(CaseworkApi, "representatives", (handlers) =>
  Effect.gen(function* () {
    const representatives = yield* Representatives
    return handlers
      .handle("listCustomerReps", ({ urlParams }) => representatives.list(urlParams))
      .handle("getCustomerRep", ({ path }) => representatives.get(path.id))
      .handle("createCustomerRep", ({ payload }) => representatives.create(payload))
      .handle("updateCustomerRep", ({ path, payload }) => representatives.update(path.id, payload))
      .handle("deleteCustomerRep", ({ path }) => representatives.delete(path.id))
      .handle("changePassword", ({ path, payload }) => representatives.changePassword(path.id, payload))
  })
)
