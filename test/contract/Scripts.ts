import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { endpoints } from "../support/Endpoints.ts"
import { exampleBody } from "../support/ExampleBody.ts"
import { TestMailer } from "../support/TestMailer.ts"
import type { makeProbes } from "./Probes.ts"

type Probes = Effect.Effect.Success<typeof makeProbes>

const endpoint = (id: string) => {
  const found = endpoints.find((candidate) => candidate.id === id)
  if (found === undefined) throw new Error(`There is no endpoint ${id}`)
  return found
}

/** Makes two of a kind and then changes the second into the first. */
const becomesTwin = ({ admin, ask }: Probes, create: string, update: string) =>
  Effect.gen(function* () {
    yield* ask(endpoint(create), { twin: true })
    const { json } = yield* ask(endpoint(create))
    const [id] = Object.values(Object(json)).filter((value) => typeof value === "number")
    const body = yield* exampleBody(endpoint(create), admin.customerID)
    return yield* ask(endpoint(update), { ids: { id: Number(id) }, body })
  })

/** Statuses that need a story of their own, by the pair that it ends in. */
export const scripts = (probes: Probes, { admin, ask } = probes) => ({
  "auth.impersonate 404": ask(endpoint("auth.impersonate"), { body: { customerID: 2_147_483_646 } }),

  "actions.updateAction 409": Effect.gen(function* () {
    const action = { name: "Taken", priority: 1, isActive: true }
    yield* ask(endpoint("actions.createAction"), { body: action })
    const { json } = yield* ask(endpoint("actions.createAction"), { body: { ...action, name: "Free" } })
    const actionID = Number(Object(json)["actionID"])
    return yield* ask(endpoint("actions.updateAction"), { ids: { id: actionID }, body: { ...action, actionID } })
  }),

  "hookActions.waitSeconds 200": ask(endpoint("hookActions.waitSeconds"), { query: "?hookName=OnEscalate" }),

  "topics.updateTopic 409": becomesTwin(probes, "topics.createTopic", "topics.updateTopic"),

  "topicDocuments.updateTopicDocument 409": becomesTwin(
    probes,
    "topicDocuments.createTopicDocument",
    "topicDocuments.updateTopicDocument"
  ),

  "pageTopicMappings.updatePageTopicMapping 409": becomesTwin(
    probes,
    "pageTopicMappings.createPageTopicMapping",
    "pageTopicMappings.updatePageTopicMapping"
  ),

  "customers.updateCustomer 409": ask(endpoint("customers.updateCustomer"), {
    body: { telephonyAccountSID: "ACdemo0000globex" }
  }),

  "representatives.createCustomerRep 422": Effect.gen(function* () {
    const headers = { "idempotency-key": "one representative" }
    const createWith = (password: string) =>
      ask(endpoint("representatives.createCustomerRep"), { body: { username: "only-once", password }, headers })
    yield* createWith("Demo-Pass-1")
    return yield* createWith("Demo-Pass-2")
  }),

  "representatives.updateCustomerRep 409": ask(endpoint("representatives.updateCustomerRep"), {
    body: { username: "globex-admin" }
  }),

  "representatives.deleteCustomerRep 409": Effect.gen(function* () {
    const { json } = yield* ask(endpoint("representatives.listCustomerReps"), { query: `?search=${admin.username}` })
    const oneself = Number(Object(json)["items"][0]["customerRepID"])
    return yield* ask(endpoint("representatives.deleteCustomerRep"), { ids: { id: oneself } })
  }),

  // Whoever comes first waits for the locked row, so that the other one finds it still running.
  "signatures.saveSignature 409": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const save = ask(endpoint("signatures.saveSignature"), { headers: { "idempotency-key": "still running" } })
    return yield* sql`select 1 from customer_rep where customer_id = ${admin.customerID} for update`.pipe(
      Effect.zipRight(Effect.raceFirst(save, save)),
      sql.withTransaction
    )
  }),

  "signatures.deleteSignature 412": Effect.zipRight(
    ask(endpoint("signatures.saveSignature")),
    ask(endpoint("signatures.deleteSignature"), { headers: { "if-match": '"nothing"' } })
  ),

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
