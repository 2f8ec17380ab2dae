import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { Operation, parametersFitOperation } from "../../schema/Operations.ts"
import { operationFromName, operationOf } from "../../src/actions/OperationFromName.ts"

describe("operationFromName", () => {
  it.each([
    ["Wait 30 seconds", { operation: "Wait", parameters: { seconds: 30 } }],
    ["wait-5-min", { operation: "Wait", parameters: { seconds: 300 } }],
    ["Wait for 2 hours", { operation: "Wait", parameters: { seconds: 7200 } }],
    ["Wait 3 days", { operation: "Wait", parameters: { seconds: 259_200 } }],
    ["Wait 30 days", { operation: "Wait", parameters: { seconds: 2_592_000 } }],
    ["wait 0000000030 secs", { operation: "Wait", parameters: { seconds: 30 } }],
    ["Wait 31 days", { operation: "None", parameters: {} }],
    ["Wait -5 seconds", { operation: "None", parameters: {} }],
    ["WAIT 7", { operation: "Wait", parameters: { seconds: 7 } }],
    ["Close ticket", { operation: "CloseTicket", parameters: {} }],
    ["close-ticket", { operation: "CloseTicket", parameters: {} }],
    ["CloseTicket", { operation: "CloseTicket", parameters: {} }],
    ["  reopen_ticket ", { operation: "ReopenTicket", parameters: {} }],
    ["Mark as spam", { operation: "MarkSpam", parameters: {} }],
    ["Set status to pending", { operation: "SetStatus", parameters: { status: "Pending" } }],
    ["Send reply", { operation: "SendReply", parameters: {} }],
    ["Wait 9999999 hours", { operation: "None", parameters: {} }],
    ["Close the window", { operation: "None", parameters: {} }],
    ["constructor", { operation: "None", parameters: {} }]
  ])("%s", (name, expected) => {
    expect(operationFromName(name)).toEqual(expected)
  })

  it("returns an operation of the union for every name", () => {
    fc.assert(fc.property(fc.string(), (name) => Schema.is(Operation)(operationFromName(name))))
  })
})

describe("an operation and its parameters", () => {
  it.prop("fit each other for every member of the union", [Operation], ([{ operation, parameters }]) => {
    expect(parametersFitOperation({ operation, parameters })).toEqual([])
    expect(Either.getOrThrow(operationOf(operation, parameters))).toEqual({ operation, parameters })
  })

  it("are refused when a parameter is missing", () => {
    expect(parametersFitOperation({ operation: "CallApi", parameters: {} })).toMatchObject([
      { path: ["parameters", "documentID"] }
    ])
  })
})
