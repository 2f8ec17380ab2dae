import { Effect } from "effect"
import { refuse } from "../admin/Refused.ts"
import { highestPort, port } from "../platform/settings/SettingValues.ts"

/** The port of the first node; each further node takes the next port. */
export const firstPortOf = (count: number) =>
  Effect.filterOrElse(
    port,
    (first) => first >= 1 && first + count - 1 <= highestPort,
    (first) =>
      refuse(
        `PORT is ${first}, but ${count} nodes need ${count} consecutive ports starting there, all from 1 to ${highestPort}.`
      )
  )
