import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type ChannelID, EndUserUIDID } from "../../schema/Ids.ts"
import { expectError } from "../http/ErrorBody.ts"
import { fieldsOf, listIn, textIn } from "../support/Fields.ts"
import { clientOf, quietApp, sendJson, tokenOf } from "../support/TestApp.ts"
import { refusedPaths } from "../topics/Mappings.ts"

const ids = (items: ReadonlyArray<{ readonly EndUserID: number }>) => items.map(({ EndUserID: id }) => id)

layer(quietApp(), { excludeTestServices: true })("End users", (it) => {
  it.effect("are created, read, changed and deleted", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-agent")
      const created = yield* endUsers.createEndUser({ payload: { FirstName: " Nora ", LastName: "Lind" } })
      expect(created).toMatchObject({
        FirstName: "Nora",
        DisplayName: "Nora Lind",
        Email: null,
        Phone: null,
        CustomerRef: null,
        Notes: null,
        UIDs: []
      })
      const path = { id: created.EndUserID }
      expect(yield* endUsers.getEndUser({ path })).toEqual(created)

      yield* endUsers.updateEndUser({ path, payload: { LastName: "", Email: "nora@mail.example", Notes: "x" } })
      expect(yield* endUsers.getEndUser({ path })).toMatchObject({
        LastName: "",
        DisplayName: "Nora",
        Email: "nora@mail.example",
        Notes: "x"
      })
      yield* endUsers.updateEndUser({ path, payload: { DisplayName: "N. L.", Notes: null } })
      const named = yield* endUsers.getEndUser({ path })
      expect(named).toMatchObject({ DisplayName: "N. L.", Email: "nora@mail.example", Notes: null })
      expect(named.DateCreated).toEqual(created.DateCreated)
      expect(named.LastModified.epochMillis).toBeGreaterThan(created.LastModified.epochMillis)
      yield* endUsers.updateEndUser({ path, payload: { DisplayName: null, LastName: "Berg" } })
      expect((yield* endUsers.getEndUser({ path })).DisplayName).toBe("Nora Berg")
      const token = yield* tokenOf("acme-admin")
      const cleared = yield* sendJson("PUT", `/api/EndUsers/${path.id}`, { token, body: { LastName: null } })
      expect([cleared.status, (yield* endUsers.getEndUser({ path })).LastName]).toEqual([204, ""])

      yield* endUsers.deleteEndUser({ path })
      expect(yield* Effect.flip(endUsers.getEndUser({ path }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(endUsers.updateEndUser({ path, payload: {} }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(endUsers.deleteEndUser({ path }))).toMatchObject({ status: 404 })
    })
  )

  it.effect("are displayed by first and last name until given another name, also when written back as read", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-agent")
      const read = yield* endUsers.createEndUser({ payload: { FirstName: "Mia", LastName: "Old" } })
      const path = { id: read.EndUserID }
      const nameAfter = (payload: { readonly FirstName?: string; readonly LastName?: string; DisplayName?: string }) =>
        Effect.zipRight(
          endUsers.updateEndUser({ path, payload }),
          Effect.map(endUsers.getEndUser({ path }), ({ DisplayName }) => DisplayName)
        )
      expect(yield* nameAfter({ FirstName: "Mia", LastName: "New", DisplayName: "Mia Old" })).toBe("Mia New")
      expect(yield* nameAfter({ FirstName: "Lea" })).toBe("Lea New")
      expect(yield* nameAfter({ DisplayName: "Ms. New" })).toBe("Ms. New")
      expect(yield* nameAfter({ FirstName: "Ida", DisplayName: "Ms. New" })).toBe("Ms. New")
    })
  )

  it.effect("have 100 UIDs at most, however they are added", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { endUsers } = yield* clientOf("acme-admin")
      const uidsFrom = (first: number, count: number) =>
        Array.from({ length: count }, (_, index) => ({ UID: `many-${first + index}` }))
      const { EndUserID } = yield* endUsers.createEndUser({
        payload: { FirstName: "Many", LastName: "", UIDs: uidsFrom(0, 99) }
      })
      const url = `/api/EndUsers/${EndUserID}`
      expect(yield* refusedPaths("PUT", url, token, { UIDs: uidsFrom(99, 2) })).toEqual(["UIDs"])
      const assign = (UID: string) =>
        sendJson("POST", "/api/EndUserUIDs/assign", { token, body: { EndUserID, UID, UIDType: "External" } })
      expect((yield* assign("many-99")).status).toBe(200)
      expectError(yield* assign("many-100"), 400, /UID would exceed the 100/)
      expect((yield* assign("many-5")).status).toBe(200)
      const { json } = yield* sendJson("GET", url, { token })
      expect((yield* sendJson("PUT", url, { token, body: json })).status).toBe(204)
    })
  )

  it.effect("are returned in PascalCase, and accepted in any case", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const body = { firstname: "Kim", LASTNAME: "Lee", uids: [{ uid: "kim-1", uidtype: "external", isprimary: true }] }
      const { json, status } = yield* sendJson("POST", "/api/endusers", { token, body })
      expect(status).toBe(200)
      expect(json).toMatchObject({ UIDs: [{ UID: "kim-1", UIDType: "External", IsPrimary: true }] })
      expect(Object.keys(fieldsOf(json)).sort()).toEqual(
        "CustomerID,CustomerRef,DateCreated,DisplayName,Email,EndUserID,FirstName,LastModified,LastName,Notes,Phone,UIDs".split(
          ","
        )
      )
      const page = yield* sendJson("GET", "/api/EndUsers?PageNumber=1&PageSize=1&SORTBY=firstname&Search=kIM", {
        token
      })
      expect(page.json).toMatchObject({ items: [{ FirstName: "Kim" }], totalCount: 1, totalPages: 1 })
    })
  )

  it.effect("are refused with everything that is wrong with them", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { endUsers } = yield* clientOf("acme-admin")
      expect(yield* refusedPaths("POST", "/api/EndUsers", token, {})).toEqual(["FirstName", "LastName"])
      const wrong = { FirstName: " ", LastName: null, Email: "nobody", UIDs: [{ UID: "" }, { UIDType: "Email" }] }
      expect(yield* refusedPaths("POST", "/api/EndUsers", token, wrong)).toEqual([
        "FirstName",
        "LastName",
        "Email",
        "UIDs.0.UID",
        "UIDs.1.UID"
      ])
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "A", LastName: "B" } })
      expect(yield* refusedPaths("PUT", `/api/EndUsers/${id}`, token, { FirstName: null, Email: "x" })).toEqual([
        "FirstName",
        "Email"
      ])
    })
  )

  it.effect("have each UID once and one primary per type", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const UIDs = [
        { UID: "One@mail.example", IsPrimary: true },
        { UID: "two@mail.example", IsPrimary: true },
        { UID: "ONE@mail.example" },
        { UID: "+15550199", UIDType: "phone", IsPrimary: true }
      ]
      const created = yield* endUsers.createEndUser({ payload: { FirstName: "U", LastName: "U", UIDs } })
      expect(created.UIDs).toMatchObject([
        { UID: "One@mail.example", UIDType: "Email", IsPrimary: false },
        { UID: "two@mail.example", UIDType: "Email", IsPrimary: true },
        { UID: "+15550199", UIDType: "Phone", IsPrimary: true }
      ])
      const [one, two] = created.UIDs.map((uid) => uid.EndUserUIDID)
      const path = { id: created.EndUserID }
      const change = (payload: Parameters<typeof endUsers.updateEndUser>[0]["payload"]) =>
        Effect.zipRight(
          endUsers.updateEndUser({ path, payload }),
          Effect.map(endUsers.getEndUser({ path }), (read) => read.UIDs)
        )
      if (one === undefined || two === undefined) return yield* Effect.dieMessage("no UIDs")

      expect(yield* change({ Notes: "other" })).toEqual(created.UIDs)
      const promoted = yield* change({ UIDs: [{ EndUserUIDID: one, UID: "one@mail.example", IsPrimary: true }] })
      expect(promoted).toMatchObject([
        { EndUserUIDID: one, UID: "one@mail.example", IsPrimary: true },
        { EndUserUIDID: two, IsPrimary: false },
        { UID: "+15550199", IsPrimary: true }
      ])
      const swapped = yield* change({
        UIDs: [
          { EndUserUIDID: one, UID: "two@mail.example" },
          { EndUserUIDID: two, UID: "one@mail.example" }
        ]
      })
      expect(swapped.map((uid) => [uid.EndUserUIDID, uid.UID]).slice(0, 2)).toEqual([
        [one, "two@mail.example"],
        [two, "one@mail.example"]
      ])
      const mixed = yield* change({
        UIDs: [
          { EndUserUIDID: two, UID: "one@mail.example", MarkAsDeleted: true },
          { UID: "TWO@mail.example" },
          { UID: "new", UIDType: "External" }
        ]
      })
      expect(mixed.map(({ UID }) => UID)).toEqual(["two@mail.example", "+15550199", "new"])

      const refused = change({ UIDs: [{ EndUserUIDID: one, UID: "NEW" }] })
      expect(yield* Effect.flip(refused)).toMatchObject({ status: 400, details: [{ path: "UIDs" }] })
      const foreign = change({ Notes: "not written", UIDs: [{ EndUserUIDID: EndUserUIDID.make(1), UID: "x" }] })
      expect(yield* Effect.flip(foreign)).toMatchObject({ status: 400, details: [{ path: "UIDs.0.EndUserUIDID" }] })
      expect(yield* endUsers.getEndUser({ path })).toMatchObject({ Notes: "other", UIDs: mixed })
      expect(yield* change({ UIDs: null })).toEqual([])
    })
  )

  it.effect("are found by UID in any case, all that share it, also from a phone call", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const UIDs = [{ UID: "Shared@mail.example" }]
      const first = yield* endUsers.createEndUser({ payload: { FirstName: "S", LastName: "1", UIDs } })
      const second = yield* endUsers.createEndUser({ payload: { FirstName: "S", LastName: "2", UIDs } })
      const uid = "sHARED@mail.example"
      expect(ids(yield* endUsers.findEndUsersByUid({ urlParams: { uid } }))).toEqual([
        first.EndUserID,
        second.EndUserID
      ])
      expect(yield* endUsers.findEndUsersByUid({ urlParams: { uid: "shared@mail" } })).toEqual([])

      const phoneLogin = { accountSid: "ACdemo0000acme", phoneNumber: "+15550100" }
      const login = yield* sendJson("POST", "/api/Auth/phone-login", { body: phoneLogin })
      const token = textIn(login.json, "token")
      const asked = yield* sendJson("GET", `/api/EndUsers/byUid?uid=${uid}`, { token })
      expect(asked.json).toMatchObject([{ EndUserID: first.EndUserID }, { EndUserID: second.EndUserID }])
      expect((yield* sendJson("GET", "/api/EndUsers", { token })).status).toBe(403)
      expect((yield* sendJson("GET", "/api/EndUsers/byUid", { token })).status).toBe(400)
      const { endUsers: globex } = yield* clientOf("globex-admin")
      expect(yield* globex.findEndUsersByUid({ urlParams: { uid } })).toEqual([])
    })
  )

  it.effect("take a UID once, however often it is assigned at once", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "A", LastName: "A" } })
      const assign = (UID: string, more: { UIDType?: string; IsPrimary?: boolean } = {}) =>
        endUsers.assignUid({ payload: { EndUserID: id, UID, ...more } })
      const spellings = ["a@x.example", "A@X.example", "a@X.example", "A@x.example"]
      const all = yield* Effect.forEach(spellings, (uid) => assign(uid), { concurrency: 4 })
      expect(new Set(all.map((assigned) => assigned.EndUserUIDID)).size).toBe(1)
      expect(all[0]).toMatchObject({ EndUserID: id, UIDType: "Email", IsPrimary: false })
      const [known] = all
      expect(yield* assign("A@x.EXAMPLE", { UIDType: "External" })).toEqual(known)
      expect(yield* assign("b@x.example", { IsPrimary: true })).toMatchObject({ IsPrimary: true })
      expect(yield* assign("a@x.example", { IsPrimary: true })).toMatchObject({ ...known, IsPrimary: true })
      const { UIDs } = yield* endUsers.getEndUser({ path: { id } })
      expect(UIDs.map(({ IsPrimary, UID }) => [UID.toLowerCase(), IsPrimary])).toEqual([
        ["a@x.example", true],
        ["b@x.example", false]
      ])
      const { endUsers: globex } = yield* clientOf("globex-admin")
      const foreign = globex.assignUid({ payload: { EndUserID: id, UID: "c" } })
      expect(yield* Effect.flip(foreign)).toMatchObject({ status: 400, details: [{ path: "EndUserID" }] })
    })
  )

  it.effect("are found by parts of their words, in any case and script", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("globex-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({
        payload: {
          FirstName: "Ödön",
          LastName: "Ćirić",
          DisplayName: "Chef",
          Email: "odon@post.example",
          Phone: "+15550177",
          CustomerRef: "100%_X",
          Notes: "secret remark",
          UIDs: [{ UID: "Handle-77" }]
        }
      })
      const found = (search: string) =>
        Effect.map(endUsers.listEndUsers({ urlParams: { search, pageSize: 200 } }), ({ items }) => ids(items))
      for (const search of [
        "ödÖ",
        "ćirić",
        "CHEF",
        "post.ex",
        "50177",
        "0%_x",
        "handle",
        " ćir  chef 77",
        "O\u0308dön"
      ]) {
        expect([search, yield* found(search)]).toEqual([search, [id]])
      }
      for (const search of ["remark", "chef nobody", "100_%x", "h%77"]) expect(yield* found(search)).toEqual([])
      expect(yield* found("  ")).toContain(id)
      expect((yield* found("  ")).length).toBeGreaterThan(3)

      yield* endUsers.updateEndUser({ path: { id }, payload: { DisplayName: null, FirstName: "Renamed" } })
      expect(yield* found("chef")).toEqual([])
      expect(yield* found("renamed 77")).toEqual([id])
      yield* endUsers.assignUid({ payload: { EndUserID: id, UID: "later-uid" } })
      expect(yield* found("LATER-")).toEqual([id])
      yield* endUsers.updateEndUser({ path: { id }, payload: { UIDs: [{ UID: "later-uid", MarkAsDeleted: true }] } })
      expect(yield* found("LATER-")).toEqual([])
    })
  )

  it.effect("are listed newest first, or by any of their fields", () =>
    Effect.gen(function* () {
      const { endUsers } = yield* clientOf("acme-admin")
      const token = yield* tokenOf("acme-admin")
      const { items } = yield* endUsers.listEndUsers({ urlParams: {} })
      expect(items).toHaveLength(10)
      expect(ids(items)).toEqual(ids(items).sort((a, b) => b - a))
      const everybody = yield* endUsers.listEndUsers({ urlParams: { pageSize: 200 } })
      for (const sortBy of "EndUserID,CustomerID,FirstName,LastName,DisplayName,Email,Phone,CustomerRef,Notes,DateCreated,LastModified".split(
        ","
      )) {
        const path = `/api/EndUsers?pageSize=200&sortBy=${sortBy}`
        const { json, status } = yield* sendJson("GET", path, { token })
        expect([sortBy, status, listIn(json, "items").length]).toEqual([sortBy, 200, everybody.totalCount])
      }
      expect((yield* sendJson("GET", "/api/EndUsers?sortBy=UID", { token })).status).toBe(400)
      const byName = yield* endUsers.listEndUsers({ urlParams: { sortBy: "DisplayName", pageSize: 200 } })
      const names = byName.items.map(({ DisplayName }) => DisplayName.toLowerCase())
      expect(names.filter((name) => /^[a-z ]+$/.test(name))).toEqual(
        names.filter((name) => /^[a-z ]+$/.test(name)).sort()
      )
    })
  )

  it.effect("show their tickets, newest first and filtered, and nobody else's", () =>
    Effect.gen(function* () {
      const { endUsers, tickets } = yield* clientOf("acme-admin")
      const sql = yield* SqlClient.SqlClient
      const [channel] = yield* sql<{ id: ChannelID }>`
        select channel_id as id from channel where customer_id = 1 and channel_type = 'Email'`
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "O", LastName: "T" } })
      const { id: channelID } = yield* Effect.fromNullable(channel)
      const first = yield* tickets.createTicket({ payload: { channelID, endUserID: id, subject: "first" } })
      const second = yield* tickets.createTicket({ payload: { channelID, endUserID: id, subject: "second" } })
      const ticketsOf = (urlParams: Parameters<typeof endUsers.listTicketsOfEndUser>[0]["urlParams"]) =>
        endUsers.listTicketsOfEndUser({ path: { id }, urlParams })
      expect(yield* ticketsOf({})).toEqual({ items: [second, first], totalCount: 2, totalPages: 1 })
      expect(yield* ticketsOf({ pageSize: 1, pageNumber: 2 })).toMatchObject({ items: [first], totalPages: 2 })
      expect(yield* ticketsOf({ search: "FIRS" })).toMatchObject({ items: [first], totalCount: 1 })
      const { endUsers: globex } = yield* clientOf("globex-admin")
      const foreign = globex.listTicketsOfEndUser({ path: { id }, urlParams: {} })
      expect(yield* Effect.flip(foreign)).toMatchObject({ status: 404 })
    })
  )

  it.effect("are deleted without their tickets", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "T", LastName: "T" } })
      yield* sql`
        insert into ticket (customer_id, channel_id, end_user_id, status, subject)
        select customer_id, channel_id, ${id}, 'Open', 'left behind' from channel
        where customer_id = 1 and channel_type = 'Email'`
      yield* endUsers.deleteEndUser({ path: { id } })
      const rows = yield* sql`
        select end_user_id as "endUserID" from ticket where customer_id = 1 and subject = 'left behind'`
      expect(rows).toEqual([{ endUserID: null }])
    })
  )
})
