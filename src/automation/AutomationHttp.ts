import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Done } from "../../schema/TicketMessageBodies.ts"
import { Automation } from "./Automation.ts"

export const AutomationHttp = HttpApiBuilder.group(CaseworkApi, "automation", (handlers) =>
  Effect.gen(function* () {
    const automation = yield* Automation
    return handlers
      .handle("fireHook", ({ payload }) => automation.fire(payload))
      .handle("retryMessage", ({ path }) =>
        Effect.as(automation.retry(path.id), new Done({ message: "The failed steps are being processed again." }))
      )
      .handle("getMessageTrace", ({ path }) => automation.trace(path.id))
  })
)
