import { SqlClient } from "@effect/sql"
import { Duration, Effect } from "effect"

const fewest = 7
const most = 40

/**
 * How many times as long one request takes as another, both unthrottled. Other load only adds to a time, so the
 * shortest one is what the work itself takes. Requests that really differ stay apart however often they are measured,
 * so the measurement goes on while they seem to.
 */
export const timesAsLong = <A, E, R, E2, R2>(
  of: (round: number) => Effect.Effect<A, E, R>,
  as: Effect.Effect<A, E, R>,
  options: { readonly within: readonly [number, number]; readonly between: Effect.Effect<unknown, E2, R2> }
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [low, high] = options.within
    let [one, other] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let round = 1; round <= fewest || (round <= most && (one / other < low || one / other > high)); round++) {
      yield* sql`delete from attempt`
      const [otherTook] = yield* Effect.timed(as)
      yield* options.between
      const [oneTook] = yield* Effect.timed(of(round))
      one = Math.min(one, Duration.toMillis(oneTook))
      other = Math.min(other, Duration.toMillis(otherTook))
    }
    return one / other
  })
