import { Effect } from "effect"
import { endpoints } from "../support/Endpoints.ts"
import { TestMailer } from "../support/TestMailer.ts"
import type { makeProbes } from "./Probes.ts"

type Probes = Effect.Effect.Success<typeof makeProbes>

const endpoint = (id: string) => {
  const found = endpoints.find((candidate) => candidate.id === id)
  if (found === undefined) throw new Error(`There is no endpoint ${id}`)
  return found
}

/** Statuses that need a story of their own, by the pair that it ends in. */
export const scripts = ({ ask }: Probes) => ({
  "auth.impersonate 404": ask(endpoint("auth.impersonate"), { body: { customerID: 2_147_483_646 } }),

  "actions.updateAction 409": Effect.gen(function* () {
    const action = { name: "Taken", priority: 1, isActive: true }
    yield* ask(endpoint("actions.createAction"), { body: action })
    const { json } = yield* ask(endpoint("actions.createAction"), { body: { ...action, name: "Free" } })
    const actionID = Number(Object(json)["actionID"])
    return yield* ask(endpoint("actions.updateAction"), { ids: { id: actionID }, body: { ...action, actionID } })
  }),

  // Ends the login that the other scripts use, so it stands last. Every request for a mail ended the links before it.
  "auth.resetPassword 204": Effect.gen(function* () {
    const mailer = yield* TestMailer
    yield* ask(endpoint("auth.requestPasswordReset"))
    return yield* mailer.next.pipe(
      Effect.flatMap(({ text }) =>
        ask(endpoint("auth.resetPassword"), {
          body: { token: /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0], newPassword: "Demo-Pass-2" }
        })
      ),
      Effect.repeat({ until: ({ status }) => status === 204 })
    )
  })
})
