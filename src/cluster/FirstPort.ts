import { Effect } from "effect"
import { refuse } from "../admin/Refused.ts"
import { highestPort, port } from "../platform/settings/SettingValues.ts"

/** The port of the first of so many nodes; each of the others has the next one. */
export const firstPortOf = (count: number) =>
  Effect.filterOrElse(
    port,
    (first) => first >= 1 && first + count - 1 <= highestPort,
    (first) =>
      refuse(`PORT: ${count} nodes need as many ports from it on, each from 1 to ${highestPort}, but it is ${first}.`)
  )
