import { Effect, FiberId, Runtime } from "effect"

const shortest = 5
const longest = 1000

/**
 * Decides when to look for work again: soon after a call, since the work may still be in a transaction that is about to
 * end, then less and less often; without a call once a second, for work that other nodes leave.
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
    // One fiber that sleeps: racing a queue with the clock takes three, and every request that leaves work calls.
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
