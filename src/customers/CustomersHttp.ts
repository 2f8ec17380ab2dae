import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Customers } from "./Customers.ts"

export const CustomersHttp = HttpApiBuilder.group(CaseworkApi, "customers", (handlers) =>
  Effect.gen(function* () {
    const customers = yield* Customers
    return handlers
      .handle("getCustomer", () => customers.get())
      .handle("updateCustomer", ({ payload }) => customers.update(payload))
      .handle("getSecrets", () => customers.secrets())
      .handle("listModels", () => customers.models())
  })
)
