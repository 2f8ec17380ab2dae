import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { field } from "../support/Fields.ts"
import { clientOf, login, sendJson, testApp } from "../support/TestApp.ts"

const put = (body: unknown) =>
  Effect.flatMap(login("acme-admin"), (token) => sendJson("PUT", "/api/Customers/me", { token, body }))

const customerIDOf = (username: string) =>
  Effect.gen(function* () {
    const { customers } = yield* clientOf(username)
    return (yield* customers.getCustomer()).customerID
  })

const addModel = (name: string, owner: string, options: { readonly active: boolean } = { active: true }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ modelID: number }>`
      insert into model (customer_id, name, model_type, slots, takes_images, is_active)
      values (${yield* customerIDOf(owner)}, ${name}, 'Text', array['Spam', 'Topic'], false, ${options.active})
      returning model_id as "modelID"`
    return (yield* Effect.fromNullable(row)).modelID
  })

layer(testApp(), { excludeTestServices: true })("Models and defaults", (it) => {
  it.effect("lists the models that the customer may use", () =>
    Effect.gen(function* () {
      const own = yield* addModel("acme-tuned", "acme-admin")
      yield* addModel("acme-retired", "acme-admin", { active: false })
      yield* addModel("globex-tuned", "globex-admin")
      const { json, status } = yield* sendJson("GET", "/api/Customers/models", { token: yield* login("acme-agent") })
      expect(status).toBe(200)
      expect(json).toEqual([
        { modelID: own, name: "acme-tuned", modelType: "Text", isDefault: false },
        { modelID: expect.any(Number), name: "gpt-4.1", modelType: "Vision", isDefault: true },
        { modelID: expect.any(Number), name: "gpt-4.1-mini", modelType: "Text", isDefault: true }
      ])
    })
  )

  it.effect("takes shared and own models that fit, and null", () =>
    Effect.gen(function* () {
      const { customers } = yield* clientOf("acme-admin")
      const models = yield* customers.listModels()
      const idOf = (name: string) => models.find((model) => model.name === name)?.modelID
      const own = yield* addModel("acme-spam", "acme-admin")
      const body = {
        defaultTopicModelId: own,
        defaultWebchatModelId: idOf("gpt-4.1-mini"),
        defaultEmailTextModelId: idOf("gpt-4.1-mini"),
        defaultEmailVisionModelId: idOf("gpt-4.1"),
        defaultCallModelId: idOf("gpt-4.1-mini"),
        defaultSpamModelId: own
      }
      expect((yield* put(body)).status).toBe(204)
      expect(yield* customers.getCustomer()).toMatchObject(body)
      expect((yield* put({ defaultSpamModelId: null })).status).toBe(204)
      expect(yield* customers.getCustomer()).toMatchObject({ ...body, defaultSpamModelId: null })
    })
  )

  it.effect("refuses foreign, inactive, unknown and unfit models and foreign representatives, all at once", () =>
    Effect.gen(function* () {
      const { customers } = yield* clientOf("acme-admin")
      const before = yield* customers.getCustomer()
      const vision = (yield* customers.listModels()).find((model) => model.modelType === "Vision")?.modelID
      const globex = yield* clientOf("globex-admin")
      const [foreignRep] = (yield* globex.representatives.listCustomerReps({ urlParams: {} })).items
      const { json, status } = yield* put({
        apiUsername: "not kept",
        defaultTopicModelId: yield* addModel("globex-own", "globex-admin"),
        defaultWebchatModelId: yield* addModel("acme-inactive", "acme-admin", { active: false }),
        defaultEmailTextModelId: vision,
        defaultCallModelId: 2_000_000_000,
        defaultCustomerRepID: foreignRep?.customerRepID
      })
      expect(status).toBe(400)
      const unusable = "is not an active model that you may use"
      expect(field(json, "details")).toEqual([
        { path: "defaultTopicModelId", message: unusable },
        { path: "defaultWebchatModelId", message: unusable },
        { path: "defaultEmailTextModelId", message: "is a model that is not suitable for EmailText" },
        { path: "defaultCallModelId", message: unusable },
        { path: "defaultCustomerRepID", message: "is not one of your representatives" }
      ])
      expect(yield* customers.getCustomer()).toEqual(before)
    })
  )

  it.effect("takes an own representative as the default, but no deleted one", () =>
    Effect.gen(function* () {
      const { customers, representatives } = yield* clientOf("acme-admin")
      const { customerRepID } = yield* representatives.createCustomerRep({
        payload: { username: "acme-default", password: "Demo-Pass-1" }
      })
      expect((yield* put({ defaultCustomerRepID: customerRepID })).status).toBe(204)
      expect((yield* customers.getCustomer()).defaultCustomerRepID).toBe(customerRepID)
      yield* representatives.deleteCustomerRep({ path: { id: customerRepID } })
      expect((yield* customers.getCustomer()).defaultCustomerRepID).toBeNull()
      expect((yield* put({ defaultCustomerRepID: customerRepID })).status).toBe(400)
    })
  )
})
