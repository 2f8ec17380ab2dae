import { Effect, FiberId, Runtime } from "effect"

const shortest = 5
const longest = 1000

/**
 * When to look for work again: soon after somebody called, since the work may still be in a transaction that is about
 * to end, then more and more seldom; without a call once a second, for what other nodes leave.
 */
export const makeWakeUp = () => {
  let pause = longest
  let isCalled = false
  let end: (() => void) | undefined
  return {
    call: () => {
      pause = shortest
      isCalled = true
      end?.()
    },
    // One fiber that sleeps: every request that leaves work calls, and a queue that races with the clock takes three.
    wait: Effect.flatMap(Effect.runtime(), (runtime) =>
      Effect.async<void>((resume) => {
        const millis = Math.round(pause * (0.75 + Math.random() / 2))
        pause = Math.min(longest, pause * 2)
        const asleep = Runtime.runFork(runtime)(Effect.sleep(millis))
        const wake = () => asleep.unsafeInterruptAsFork(FiberId.none)
        asleep.addObserver(() => {
          end = undefined
          isCalled = false
          resume(Effect.void)
        })
        end = wake
        if (isCalled) wake()
        return Effect.sync(wake)
      })
    )
  }
}
