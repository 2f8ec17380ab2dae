import { Effect } from "effect"
import { refuse } from "../admin/Refused.ts"
import { highestPort, port } from "../platform/settings/SettingValues.ts"

/** The port of the first node; each further node takes the next port. */
export const firstPortOf = (count: number) =>
  Effect.filterOrElse(
    port,
    (first) => first >= 1 && first + count - 1 <= highestPort,
    (first) =>
      refuse(`PORT: ${count} nodes need as many ports from it on, each from 1 to ${highestPort}, but it is ${first}.`)
  )
