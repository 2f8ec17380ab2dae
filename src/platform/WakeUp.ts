import { Effect, Queue } from "effect"

const shortest = 5
const longest = 1000

/**
 * When to look for work again: soon after somebody called, since the work may still be in a transaction that is about
 * to end, then more and more seldom; without a call once a second, for what other nodes leave.
 */
export const makeWakeUp = Effect.gen(function* () {
  const calls = yield* Queue.sliding<void>(1)
  let pause = longest
  return {
    call: () => {
      pause = shortest
      calls.unsafeOffer(undefined)
    },
    wait: Effect.suspend(() => {
      const wait = Math.round(pause * (0.75 + Math.random() / 2))
      pause = Math.min(longest, pause * 2)
      return Effect.asVoid(Effect.timeoutOption(Queue.take(calls), wait))
    })
  }
})
