import { STATUS_CODES } from "node:http"
import { expect } from "vitest"
import type { Answer } from "../support/TestApp.ts"

/** Expects a response in the one shape that all errors share. */
export const expectError = (answer: Answer, status: number, message: RegExp) => {
  expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)])
  const expected = {
    status,
    error: STATUS_CODES[status],
    message: expect.stringMatching(message),
    requestId: answer.headers.get("x-request-id")
  }
  expect(answer.json).toEqual(status === 400 ? expect.objectContaining(expected) : expected)
  expect(answer.headers.get("x-request-id")).toMatch(/^\S{1,128}$/)
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/)
}

/** The paths of the problems that a 400 lists, in order. */
export const problemPaths = ({ json }: Answer) =>
  typeof json === "object" && json !== null && "details" in json && Array.isArray(json.details)
    ? json.details.map((detail: { readonly path: string }) => detail.path).sort()
    : undefined
