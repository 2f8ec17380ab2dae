import { Deferred, Effect, Fiber, FiberId, FiberSet } from "effect"

interface Work<A, E> {
  readonly done: Deferred.Deferred<A, E>
  readonly fiber: Fiber.RuntimeFiber<boolean>
  waiting: number
}

/**
 * Runs work once for all callers on this node that want it at the moment, and gives each of them its result or failure.
 * The work belongs to none of them: it continues when one leaves, and ends when none waits for it any more.
 */
export const makeOnceForAll = <A, E>() =>
  Effect.map(FiberSet.makeRuntime<never>(), (fork) => {
    const underWay = new Map<string, Work<A, E>>()

    const join = (key: string, work: Effect.Effect<A, E>) => {
      const found = underWay.get(key)
      if (found !== undefined) {
        found.waiting += 1
        return found
      }
      const done = Deferred.unsafeMake<A, E>(FiberId.none)
      const forget = Effect.sync(() => underWay.get(key)?.done === done && underWay.delete(key))
      const fiber = fork(work.pipe(Effect.ensuring(forget), Effect.intoDeferred(done)))
      const begun: Work<A, E> = { done, fiber, waiting: 1 }
      if (fiber.unsafePoll() === null) underWay.set(key, begun)
      return begun
    }

    const leave = (key: string, work: Work<A, E>) =>
      Effect.suspend(() => {
        work.waiting -= 1
        if (work.waiting > 0) return Effect.void
        if (underWay.get(key) === work) underWay.delete(key)
        return Fiber.interruptFork(work.fiber)
      })

    return (key: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(
        Effect.sync(() => join(key, work)),
        ({ done }) => Deferred.await(done),
        (joined) => leave(key, joined)
      )
  })
