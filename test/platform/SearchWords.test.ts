import { SqlClient } from "@effect/sql"
import { expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import oneSigma from "../../migrations/0036_one_sigma.ts"
import { folded, spelledPatterns } from "../../src/platform/database/SearchWords.ts"
import { clientOf, quietApp } from "../support/TestApp.ts"
import { newTicket } from "../tickets/TicketTools.ts"

it("A word is searched for in every spelling that an index finds, or in all when it finds none", () => {
  expect(spelledPatterns("  Ménagère 50% ")).toEqual([["%Ménagère%", "%Me\u0301nage\u0300re%"], ["%50\\%%"]])
  for (const word of ["für", "Tür", "été", "père", "hàng"]) {
    expect(spelledPatterns(word.normalize("NFD"))).toEqual([[`%${word.normalize("NFC")}%`]])
  }
  expect(spelledPatterns("ü")).toEqual([["%ü%", "%u\u0308%"]])
  expect(spelledPatterns(undefined)).toEqual([])
  expect(spelledPatterns("e e  e")).toEqual([["%e%"]])
})

it("A word with sigmas is searched for with both small forms at its end, however many it has", () => {
  expect(spelledPatterns("ΣΟΦΙΑΣ")).toEqual([["%ΣΟΦΙΑΣ%", "%σΟΦΙΑσ%", "%σΟΦΙΑς%"]])
  expect(spelledPatterns("σοφιας")).toEqual([["%σοφιας%", "%σοφιασ%"]])
  expect(spelledPatterns("ΝΙΚΟΣ-ΣΤΑΣΙΣ")).toEqual([["%ΝΙΚΟΣ-ΣΤΑΣΙΣ%", "%ΝΙΚΟσ-σΤΑσΙσ%", "%ΝΙΚΟς-σΤΑσΙς%"]])
  expect(spelledPatterns("προςς")).toEqual([["%προςς%", "%προσσ%", "%προσς%"]])
  expect(folded("ΟΔΟΣ Σοφίας")).toBe("οδοσ σοφίασ")
})

layer(quietApp(), { excludeTestServices: true })("Greek words", (it) => {
  const foundBy = (search: string) =>
    Effect.gen(function* () {
      const { endUsers, placeDescriptionReports, tickets } = yield* clientOf("acme-admin")
      const listed = yield* Effect.all([
        placeDescriptionReports.listPlaceDescriptionReports({ urlParams: { search } }),
        tickets.listTickets({ urlParams: { search } }),
        endUsers.listEndUsers({ urlParams: { search } })
      ])
      return listed.map(({ totalCount }) => totalCount)
    })

  it.effect("are found in reports, tickets and end users with whichever sigma is written", () =>
    Effect.gen(function* () {
      const { endUsers, placeDescriptionReports, ticketMessagesOnPhone } = yield* clientOf("acme-admin")
      for (const [firstName, text] of [
        ["ΘΩΜΑΣΟΓΛΟΥ ΝΙΚΟΣ", "ΟΔΟΣ ΣΟΦΙΑΣ"],
        ["Στασινός", "οδός Σοφίας"]
      ] as const) {
        yield* placeDescriptionReports.createPlaceDescriptionReport({ payload: { address: text } })
        yield* newTicket({ subject: text })
        const { ticketID } = yield* newTicket({})
        yield* ticketMessagesOnPhone.createTicketMessage({ payload: { ticketID, message: text } })
        yield* endUsers.createEndUser({ payload: { FirstName: firstName, LastName: text } })
      }
      for (const search of [
        "σοφιας",
        "Σοφιας",
        "ΣΟΦΙΑΣ",
        "σοφιασ",
        "ΟΔΟΣ",
        "ΔΟΣ σοφι",
        "ΣΟΦΊΑΣ",
        "σοφίας",
        "οδός ΣΟΦ"
      ]) {
        expect([search, yield* foundBy(search)]).toEqual([search, [1, 2, 1]])
      }
      expect(yield* foundBy("σοφ")).toEqual([2, 4, 2])
      for (const search of ["ΘΩΜΑΣ", "θωμας", "νικος", "ΝΙΚΟΣ", "ΣΤΑΣΙΝΌΣ", "ΣΤΑΣ"]) {
        expect([search, yield* foundBy(search)]).toEqual([search, [0, 0, 1]])
      }
    })
  )

  it.effect("are found after the migration when they were folded before, and no other row is written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endUsers } = yield* clientOf("acme-admin")
      const { EndUserID: id } = yield* endUsers.createEndUser({ payload: { FirstName: "ΑΛΕΞΗΣ", LastName: "x" } })
      yield* sql`update end_user set search_text = 'αλεξης x' where customer_id = 1 and end_user_id = ${id}`
      const rows = sql<{ place: string }>`
        select end_user_id, ctid::text as place from end_user
        where customer_id = 1 and end_user_id <> ${id} order by 1`
      const before = yield* rows
      yield* oneSigma
      expect(yield* foundBy("ΑΛΕΞΗΣ")).toEqual([0, 0, 1])
      expect(yield* rows).toEqual(before)
    })
  )
})
