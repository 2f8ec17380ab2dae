import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, testApp } from "../support/TestApp.ts"
import { admin } from "./RunAdmin.ts"

/** The names of the models that a representative is offered. */
const offeredTo = (username: string) =>
  Effect.gen(function* () {
    const { customers } = yield* clientOf(username)
    return (yield* customers.listModels()).map((model) => model.name)
  })

const add = (...words: ReadonlyArray<string>) =>
  Effect.flatMap(admin("model", "add", ...words, "--slots", "Topic,Spam"), ({ output }) =>
    Effect.map(Effect.fromNullable(/model (\d+)/.exec(output)?.[1]), (modelID) => ({ output, modelID }))
  )

const refusal = (...words: ReadonlyArray<string>) =>
  Effect.map(admin("model", ...words), ({ errors, output, succeeded }) => {
    expect({ output, succeeded }).toEqual({ output: "", succeeded: false })
    return errors
  })

layer(testApp(), { excludeTestServices: true })("Models on the admin command line", (it) => {
  it.effect("gives a customer a model that no other customer sees", () =>
    Effect.gen(function* () {
      const { modelID, output } = yield* add("acme-tuned", "--customer", "acme rentals")
      expect(output).toBe(`Added model ${modelID} of "Acme Rentals" "acme-tuned" for Topic, Spam.`)
      expect(yield* offeredTo("acme-agent")).toContain("acme-tuned")
      expect(yield* offeredTo("globex-admin")).not.toContain("acme-tuned")
      expect((yield* admin("model", "list")).output.split("\n")).toContain(
        `${modelID}  acme-tuned  of "Acme Rentals"  Text, active  slots: Topic, Spam`
      )
    })
  )

  it.effect("deactivates and reactivates one model without touching the others", () =>
    Effect.gen(function* () {
      const { modelID } = yield* add("short-lived")
      const before = yield* offeredTo("globex-admin")
      expect(before).toContain("short-lived")
      // Twice: deactivating an inactive model is no error.
      for (const _ of [1, 2]) {
        expect((yield* admin("model", "deactivate", modelID)).output).toBe(
          `Model ${modelID} "short-lived" is inactive.`
        )
      }
      expect(yield* offeredTo("globex-admin")).toEqual(before.filter((name) => name !== "short-lived"))
      expect(yield* offeredTo("acme-admin")).not.toContain("short-lived")
      expect((yield* admin("model", "list")).output).toContain(`${modelID}  short-lived  shared  Text, inactive  slots`)
      expect((yield* admin("model", "activate", modelID)).output).toBe(`Model ${modelID} "short-lived" is active.`)
      expect(yield* offeredTo("globex-admin")).toEqual(before)
    })
  )

  it.effect("refuses a duplicate name for the same owner only", () =>
    Effect.gen(function* () {
      yield* add("same", "--customer", "Acme Rentals")
      expect(yield* refusal("add", "SAME", "--slots", "Topic", "--customer", "Acme Rentals")).toEqual([
        '"Acme Rentals" already has a model named "SAME".'
      ])
      expect((yield* add("same", "--customer", "Globex Support")).output).toContain("Added model")
      expect((yield* add("same")).output).toContain("Added shared model")
    })
  )

  it.effect("refuses customers and models that do not exist", () =>
    Effect.gen(function* () {
      expect(yield* refusal("add", "new", "--slots", "Topic", "--customer", "Nobody")).toEqual([
        'There is no customer named "Nobody". To list all customers, run: customer list'
      ])
      for (const command of ["activate", "deactivate"]) {
        for (const id of ["999999", "0", "99999999999"]) {
          expect(yield* refusal(command, id)).toEqual([`There is no model ${id}. To list all models, run: model list`])
        }
      }
    })
  )
})
