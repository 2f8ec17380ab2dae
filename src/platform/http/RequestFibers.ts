import { Context, Effect, Fiber, Layer } from "effect"
import { noLongerThan } from "../NoLongerThan.ts"

/** How long the service waits for fibers when it stops: one in a step that cannot be interrupted must not hold it. */
const longestEnd = "2 seconds"

/**
 * The fibers of requests under way. When connections are cut some still give back what they hold: they end before the
 * services that they use.
 */
export class RequestFibers extends Context.Tag("casework/RequestFibers")<
  RequestFibers,
  { readonly add: (fiber: Fiber.RuntimeFiber<unknown, unknown>) => void }
>() {
  static readonly layer = Layer.scoped(
    RequestFibers,
    Effect.gen(function* () {
      const underWay = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
      yield* Effect.addFinalizer(() => noLongerThan(longestEnd)(Effect.suspend(() => Fiber.interruptAll(underWay))))
      return RequestFibers.of({
        add: (fiber) => {
          underWay.add(fiber)
          fiber.addObserver(() => underWay.delete(fiber))
        }
      })
    })
  )
}
