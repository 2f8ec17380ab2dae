import { expect, it } from "@effect/vitest"
import { isMark } from "../../src/dataRights/PersonsRepo.ts"

it("Only marks that hardly occur in other people's texts are searched for in them", () => {
  const marks = [
    "anna@mail.example",
    "+1 555 0188",
    "+491701234567",
    "cust-00017",
    "5a3366b8-7e5f-45b7-829b-fa46fe025f3b"
  ]
  const words = [
    "null",
    "true",
    "anna",
    "ticketmessageid",
    "best regards",
    "set a new password",
    "2026-11-17",
    "12345",
    "@"
  ]
  expect([...marks, ...words].filter(isMark)).toEqual(marks)
})
