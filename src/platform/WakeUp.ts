import { Effect } from "effect"

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
    // By hand, since every request that leaves work calls: a queue and a race with the clock take two fibers each time.
    wait: Effect.async<void>((resume) => {
      const finish = () => {
        clearTimeout(timer)
        end = undefined
        isCalled = false
        resume(Effect.void)
      }
      const timer = setTimeout(finish, Math.round(pause * (0.75 + Math.random() / 2)))
      pause = Math.min(longest, pause * 2)
      end = finish
      if (isCalled) finish()
      return Effect.sync(() => {
        clearTimeout(timer)
        end = undefined
      })
    })
  }
}
