import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AiServices } from "../../src/ai/AiServices.ts"
import { quietApp } from "../support/TestApp.ts"
import { evaluate } from "./evaluation/Evaluate.ts"
import { labelledMessages } from "./evaluation/Messages.ts"
import { thresholds } from "./evaluation/Thresholds.ts"
import { acme, newMessage } from "./Messages.ts"

layer(AiServices.pipe(Layer.provideMerge(quietApp())), { excludeTestServices: true })("The sandbox", (it) => {
  it.effect("is right often enough on labelled messages in five languages", () =>
    Effect.gen(function* () {
      expect(labelledMessages.length).toBeGreaterThanOrEqual(60)
      expect(new Set(labelledMessages.map(({ language }) => language)).size).toBe(5)
      const customerID = yield* acme
      const scores = yield* evaluate(customerID, yield* newMessage(customerID, "evaluation"))
      expect(scores.map(({ purpose }) => purpose)).toEqual(["topics", "spam", "language"])
      for (const { accuracy, purpose, wrong } of scores) {
        expect(accuracy, `${purpose}:\n${wrong.join("\n")}`).toBeGreaterThanOrEqual(thresholds[purpose])
      }
    })
  )
})
