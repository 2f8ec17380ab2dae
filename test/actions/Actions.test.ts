import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ActionID } from "../../schema/Ids.ts"
import { expectError } from "../http/ErrorBody.ts"
import { fieldsOf } from "../support/Fields.ts"
import { clientOf, headerOf, login, sendJson, testApp } from "../support/TestApp.ts"

const details = (json: unknown) =>
  typeof json === "object" && json !== null && "details" in json ? json.details : undefined

layer(testApp(), { excludeTestServices: true })("Actions", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("acme-admin")
      const action = yield* actions.createAction({
        payload: { name: "Wait 2 minutes", priority: 5, isActive: true, description: "a pause" }
      })
      expect(action).toMatchObject({
        name: "Wait 2 minutes",
        description: "a pause",
        operation: "Wait",
        parameters: { seconds: 120 }
      })
      const path = { id: action.actionID }
      expect(yield* actions.getAction({ path })).toEqual(action)
      yield* actions.updateAction({
        path,
        payload: { actionID: action.actionID, name: "Wait 3 minutes", priority: 6, isActive: false }
      })
      expect(yield* actions.getAction({ path })).toMatchObject({
        name: "Wait 3 minutes",
        description: "a pause",
        priority: 6,
        isActive: false,
        operation: "Wait",
        parameters: { seconds: 180 }
      })
      yield* actions.deleteAction({ path })
      expect(yield* Effect.flip(actions.getAction({ path }))).toMatchObject({ _tag: "NotFound", status: 404 })
      expect(yield* Effect.flip(actions.deleteAction({ path }))).toMatchObject({ _tag: "NotFound" })
    })
  )

  it.effect("are created with 201 and the address of the new action", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { name: "With a location", priority: 1, isActive: true }
      const created = yield* sendJson("POST", "/api/Actions", { token, body })
      expect(created.status).toBe(201)
      const read = yield* sendJson("GET", headerOf(created, "location"), { token })
      expect(read.json).toEqual(created.json)
      expect(read.json).toMatchObject({ description: null, operation: "None", parameters: null })
    })
  )

  it.effect("keep an explicit operation, whatever the name says, until it is cleared", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("acme-admin")
      const action = yield* actions.createAction({
        payload: {
          name: "Close it for good",
          priority: 1,
          isActive: true,
          operation: "SetCustomField",
          parameters: { key: "reason", value: "done" }
        }
      })
      const path = { id: action.actionID }
      const base = { actionID: action.actionID, name: "Close ticket finally", priority: 1, isActive: true }
      yield* actions.updateAction({ path, payload: base })
      expect(yield* actions.getAction({ path })).toMatchObject({
        operation: "SetCustomField",
        parameters: { key: "reason", value: "done" }
      })
      yield* actions.updateAction({ path, payload: { ...base, operation: "CloseTicket" } })
      expect(yield* actions.getAction({ path })).toMatchObject({ operation: "CloseTicket", parameters: null })
      yield* actions.updateAction({ path, payload: { ...base, name: "Escalate", operation: null } })
      expect(yield* actions.getAction({ path })).toMatchObject({ operation: "Escalate", parameters: null })
    })
  )

  it.effect("clear the description with null and leave it when it is missing", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const body = { name: "To be described", description: "words", priority: 1, isActive: true }
      const created = yield* sendJson("POST", "/api/Actions", { token, body })
      const path = headerOf(created, "location")
      const actionID = Number(path.split("/").at(-1))
      const change = { actionID, name: "To be described", priority: 1, isActive: true }
      expect((yield* sendJson("PUT", path, { token, body: change })).status).toBe(204)
      expect((yield* sendJson("GET", path, { token })).json).toMatchObject({ description: "words" })
      expect((yield* sendJson("PUT", path, { token, body: { ...change, description: null } })).status).toBe(204)
      expect((yield* sendJson("GET", path, { token })).json).toMatchObject({ description: null })
    })
  )

  it.effect("are listed by name, 10 at a time, and sorted by any field", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("initech-admin")
      for (const [index, name] of ["zebra", "Yak", "xerus", "Wolf", "vole"].entries()) {
        yield* actions.createAction({ payload: { name, priority: 100 - index, isActive: index % 2 === 0 } })
      }
      const first = yield* actions.listActions({ urlParams: {} })
      expect(first).toMatchObject({ totalCount: 13, totalPages: 2 })
      expect(first.items).toHaveLength(10)
      const second = yield* actions.listActions({ urlParams: { pageNumber: 2 } })
      const names = [...first.items, ...second.items].map((action) => action.name)
      expect(names).toEqual([...names].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)))
      const behind = yield* actions.listActions({ urlParams: { pageNumber: 99 } })
      expect(behind).toMatchObject({ items: [], totalCount: 13, totalPages: 2 })
      const byPriority = yield* actions.listActions({
        urlParams: { sortBy: "priority", sortOrder: "desc", pageSize: 3 }
      })
      expect(byPriority.items.map((action) => action.name)).toEqual(["zebra", "Yak", "xerus"])
      const byState = yield* actions.listActions({ urlParams: { sortBy: "isActive", pageSize: 2 } })
      expect(byState.items.map((action) => action.name)).toEqual(["Yak", "Wolf"])
    })
  )

  it.effect("refuse a name that the same customer already uses, ignoring case", () =>
    Effect.gen(function* () {
      const acme = yield* clientOf("acme-admin")
      const globex = yield* clientOf("globex-admin")
      const payload = { name: "Only once", priority: 1, isActive: true }
      yield* acme.actions.createAction({ payload })
      yield* globex.actions.createAction({ payload })
      const again = yield* Effect.flip(acme.actions.createAction({ payload: { ...payload, name: "ONLY ONCE" } }))
      expect(again).toMatchObject({ _tag: "Conflict", message: 'An action named "ONLY ONCE" already exists.' })
      const other = yield* acme.actions.createAction({ payload: { ...payload, name: "Another" } })
      const renamed = yield* Effect.flip(
        acme.actions.updateAction({
          path: { id: other.actionID },
          payload: { ...payload, actionID: other.actionID, name: "only once" }
        })
      )
      expect(renamed).toMatchObject({ _tag: "Conflict" })
    })
  )

  it.effect("refuse an id in the body that is not the one in the path", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("acme-admin")
      const error = yield* Effect.flip(
        actions.updateAction({
          path: { id: ActionID.make(1) },
          payload: { actionID: ActionID.make(2), name: "x", priority: 1, isActive: true }
        })
      )
      expect(error).toMatchObject({ _tag: "BadRequest", details: [{ path: "actionID" }] })
    })
  )

  it.effect("are refused with the path of every parameter that does not fit the operation", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const post = (operation: unknown, parameters: unknown) =>
        sendJson("POST", "/api/Actions", {
          token,
          body: { name: "Never stored", priority: 1, isActive: true, operation, parameters }
        })
      for (const [operation, parameters, path] of [
        ["Wait", {}, "parameters.seconds"],
        ["Wait", { seconds: -1 }, "parameters.seconds"],
        ["SetStatus", { status: "Lost" }, "parameters.status"],
        ["NotifyEmail", { to: "nobody" }, "parameters.to"],
        ["SetCustomField", { key: "a b", value: "v" }, "parameters.key"],
        ["SetCustomField", { key: "__proto__", value: "v" }, "parameters.key"],
        ["AssignRep", { customerRepID: 2_000_000_000 }, "parameters.customerRepID"],
        [undefined, { seconds: 1 }, "operation"],
        ["Explode", {}, "operation"]
      ]) {
        const answer = yield* post(operation, parameters)
        expect(answer.status, `${operation} ${JSON.stringify(parameters)}`).toBe(400)
        expect(details(answer.json)).toMatchObject([{ path }])
      }
      for (const name of ["Wait 31 days", "Wait 99999999 seconds"]) {
        const answer = yield* sendJson("POST", "/api/Actions", { token, body: { name, priority: 1, isActive: true } })
        expect([answer.status, details(answer.json)]).toMatchObject([400, [{ path: "name" }]])
      }
      const body = { name: "Never stored", isActive: true, operation: "SetCustomField", parameters: { key: 5 } }
      const several = yield* sendJson("POST", "/api/Actions", { token, body })
      expect(details(several.json)).toEqual(
        expect.arrayContaining([
          { path: "priority", message: "is required" },
          { path: "parameters.key", message: expect.not.stringContaining("letters") },
          { path: "parameters.value", message: "is required" }
        ])
      )
      const { items } = yield* Effect.flatMap(clientOf("acme-admin"), ({ actions }) =>
        actions.listActions({ urlParams: { pageSize: 200 } })
      )
      expect(items.map((action) => action.name)).not.toContain("Never stored")
    })
  )

  it.effect("can be switched off when what they point at is gone", () =>
    Effect.gen(function* () {
      const { actions, documents } = yield* clientOf("acme-admin")
      const document = yield* documents.createDocument({
        payload: { name: "Soon gone", isDataRetrievalProcess: false }
      })
      const action = yield* actions.createAction({
        payload: {
          name: "Send what is gone",
          priority: 1,
          isActive: true,
          operation: "SendDocument",
          parameters: { documentID: document.documentID }
        }
      })
      yield* documents.deleteDocument({ path: { id: document.documentID } })
      const path = { id: action.actionID }
      const off = { actionID: action.actionID, name: action.name, priority: 1, isActive: false }
      yield* actions.updateAction({ path, payload: off })
      expect(yield* actions.getAction({ path })).toMatchObject({ isActive: false, operation: "SendDocument" })
      const again = yield* Effect.flip(
        actions.updateAction({
          path,
          payload: { ...off, operation: "CallApi", parameters: { documentID: document.documentID } }
        })
      )
      expect(again).toMatchObject({ _tag: "BadRequest", details: [{ path: "parameters.documentID" }] })
    })
  )

  it.effect("keep the operation or the parameters that a change leaves out", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { actions } = yield* clientOf("acme-admin")
      const base = { name: "Kept in parts", priority: 1, isActive: true }
      const { actionID } = yield* actions.createAction({
        payload: { ...base, operation: "SetCustomField", parameters: { key: "a", value: "b" } }
      })
      const path = `/api/Actions/${actionID}`
      const put = (change: object) => sendJson("PUT", path, { token, body: { ...base, actionID, ...change } })
      const after = (change: object) =>
        Effect.gen(function* () {
          expect((yield* put(change)).status).toBe(204)
          const { operation, parameters } = yield* actions.getAction({ path: { id: actionID } })
          return [operation, parameters]
        })
      expect(yield* after({ operation: "SetCustomField" })).toEqual(["SetCustomField", { key: "a", value: "b" }])
      expect(yield* after({ parameters: { key: "c", value: "d" } })).toEqual([
        "SetCustomField",
        { key: "c", value: "d" }
      ])
      expectError(yield* put({ parameters: { key: "e" } }), 400, /parameters\.value is required/)
      expectError(yield* put({ parameters: null }), 400, /parameters\.key is required; parameters\.value is required/)
      expectError(yield* put({ operation: "Wait" }), 400, /parameters\.seconds is required/)
      expectError(yield* put({ operation: null, parameters: { key: "e", value: "f" } }), 400, /operation is required/)
      expect(yield* after({ operation: "CloseTicket" })).toEqual(["CloseTicket", null])
      expect(yield* after({ name: "Wait 40 seconds", operation: null })).toEqual(["Wait", { seconds: 40 }])
      expectError(
        yield* put({ name: "Wait 31 days", operation: null }),
        400,
        /name asks for a wait of more than 30 days/
      )
      expect(yield* after({ name: "Wait 50 seconds", parameters: null })).toEqual(["Wait", { seconds: 50 }])
      expect(yield* after({ name: "Wait 50 seconds", parameters: { seconds: 7 } })).toEqual(["Wait", { seconds: 7 }])
      expect(yield* after({ name: "Wait 60 seconds" })).toEqual(["Wait", { seconds: 7 }])
    })
  )

  it.effect("can be written back as they were read, also when what they point at is gone", () =>
    Effect.gen(function* () {
      const token = yield* login("acme-admin")
      const { actions, documents, representatives } = yield* clientOf("acme-admin")
      const { documentID } = yield* documents.createDocument({
        payload: { name: "Gone before long", isDataRetrievalProcess: false }
      })
      const { customerRepID } = yield* representatives.createCustomerRep({
        payload: { username: "gone-before-long", password: "Demo-Pass-1" }
      })
      const base = { priority: 1, isActive: true }
      const made = [
        yield* actions.createAction({
          payload: { ...base, name: "Send it", operation: "SendDocument", parameters: { documentID } }
        }),
        yield* actions.createAction({
          payload: { ...base, name: "Call it", operation: "CallApi", parameters: { field: "answer", documentID } }
        }),
        yield* actions.createAction({
          payload: { ...base, name: "Give it", operation: "AssignRep", parameters: { customerRepID } }
        })
      ]
      yield* documents.deleteDocument({ path: { id: documentID } })
      yield* representatives.deleteCustomerRep({ path: { id: customerRepID } })
      for (const { actionID } of made) {
        const path = `/api/Actions/${actionID}`
        const read = yield* sendJson("GET", path, { token })
        expect((yield* sendJson("PUT", path, { token, body: read.json })).status).toBe(204)
        expect((yield* sendJson("GET", path, { token })).json).toEqual(read.json)
        const other = { operation: "SendDocument", parameters: { documentID: 2_000_000_000 } }
        const refused = yield* sendJson("PUT", path, { token, body: { ...fieldsOf(read.json), ...other } })
        expect(details(refused.json)).toMatchObject([{ path: "parameters.documentID" }])
      }
    })
  )

  it.effect("accept a representative of their own customer only", () =>
    Effect.gen(function* () {
      const { actions } = yield* clientOf("acme-admin")
      const assignTo = (customerRepID: number) => ({
        payload: {
          name: `Assign to ${customerRepID}`,
          priority: 1,
          isActive: true,
          operation: "AssignRep" as const,
          parameters: { customerRepID }
        }
      })
      expect(yield* actions.createAction(assignTo(2))).toMatchObject({ parameters: { customerRepID: 2 } })
      const foreign = yield* Effect.flip(actions.createAction(assignTo(3)))
      expect(foreign).toMatchObject({ _tag: "BadRequest", details: [{ path: "parameters.customerRepID" }] })
    })
  )
})
