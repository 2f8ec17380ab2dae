import { Effect, Option } from "effect"
import { Slot } from "../customers/ModelsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { refuse } from "./Refused.ts"

export const knownSlots = Slot.literals.join(", ")

/** Reads a comma-separated list of slots, ignoring case and duplicates. */
export const readSlots = fn("SlotList.readSlots")(function* (list: string) {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  if (names.length === 0) return yield* refuse(`--slots needs at least one of: ${knownSlots}.`)
  const slots = yield* Effect.forEach(names, (name) =>
    Option.match(Option.fromNullable(Slot.literals.find((slot) => slot.toLowerCase() === name.toLowerCase())), {
      onNone: () => refuse(`"${name}" is not a slot. The slots are: ${knownSlots}.`),
      onSome: Effect.succeed
    })
  )
  return [...new Set(slots)]
})
