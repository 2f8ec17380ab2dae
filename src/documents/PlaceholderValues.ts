import { Context, DateTime, Effect, Layer } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { oneLine } from "../platform/text/OneLine.ts"
import { type Entry, PlaceholderRepo } from "./PlaceholderRepo.ts"
import { placeholdersIn, type Values } from "./Placeholders.ts"

/** One line for each: "- name: detail", or "- name" when there is nothing to add. */
export const listed = (entries: ReadonlyArray<Entry>) =>
  entries
    .map(({ detail, name }) => {
      const more = oneLine(detail ?? "")
      return more === "" ? `- ${oneLine(name)}` : `- ${oneLine(name)}: ${more}`
    })
    .join("\n")

/** Takes each value from the first source that has it. */
export const firstOf =
  (...sources: ReadonlyArray<Values>): Values =>
  (name) => {
    for (const source of sources) {
      const value = source(name)
      if (value !== undefined) return value
    }
    return undefined
  }

/** The values that every document of a customer can use. */
export class PlaceholderValues extends Context.Tag("casework/PlaceholderValues")<
  PlaceholderValues,
  {
    /** Looks up only what the templates ask for. */
    readonly of: (customerID: CustomerID, templates: ReadonlyArray<string | null>) => Effect.Effect<Values>
  }
>() {
  static readonly layer = Layer.effect(
    PlaceholderValues,
    Effect.gen(function* () {
      const repo = yield* PlaceholderRepo
      const sources: Readonly<Record<string, (customerID: CustomerID) => Effect.Effect<string>>> = {
        TopicList: (customerID) => Effect.map(repo.topics(customerID), listed),
        ChannelList: (customerID) => Effect.map(repo.channels(customerID), listed),
        RepresentativeList: (customerID) => Effect.map(repo.representatives(customerID), listed),
        CustomerName: repo.customerName,
        Today: () => Effect.map(DateTime.now, DateTime.formatIsoDateUtc),
        Now: () => Effect.map(DateTime.now, DateTime.formatIso)
      }
      return {
        of: fn("PlaceholderValues.of")(function* (customerID, templates) {
          const found = new Map<string, string>()
          for (const name of placeholdersIn(templates.filter((template) => template !== null).join("\n"))) {
            const source = Object.hasOwn(sources, name) ? sources[name] : undefined
            if (source !== undefined) found.set(name, yield* source(customerID))
          }
          return (name) => found.get(name)
        })
      }
    })
  )
}
