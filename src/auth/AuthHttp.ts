import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CaseworkApi } from "../../schema/Api.ts"
import { Token } from "../../schema/Auth.ts"
import { networkOf } from "../platform/http/ClientAddress.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { Auth } from "./Auth.ts"

export const AuthHttp = HttpApiBuilder.group(CaseworkApi, "auth", (handlers) =>
  Effect.gen(function* () {
    const auth = yield* Auth
    const { trustedProxies } = yield* Settings
    const answer = Effect.map((token: string) => new Token({ token }))
    return handlers
      .handle("login", ({ payload, request }) => answer(auth.login(payload, networkOf(request, trustedProxies))))
      .handle("phoneLogin", ({ payload, request }) =>
        answer(auth.phoneLogin(payload, networkOf(request, trustedProxies)))
      )
      .handle("impersonate", ({ payload }) => answer(auth.impersonate(payload)))
      .handle("requestPasswordReset", ({ payload, request }) =>
        Effect.as(auth.requestPasswordReset(payload, networkOf(request, trustedProxies)), {})
      )
      .handle("resetPassword", ({ payload, request }) =>
        auth.resetPassword(payload, networkOf(request, trustedProxies))
      )
  })
)
