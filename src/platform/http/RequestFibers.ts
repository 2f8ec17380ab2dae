import { Context, Effect, Fiber, Layer } from "effect"
import { noLongerThan } from "../concurrency/NoLongerThan.ts"

/** How long a stopping service waits for fibers: one in a step that cannot be interrupted must not hold it up. */
const longestEnd = "2 seconds"

/**
 * The fibers of requests under way. After connections are cut some fibers still release what they hold: they must end
 * before the services that they use.
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
