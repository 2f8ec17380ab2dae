import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, FiberStatus, Layer } from "effect"
import { MostWaiting, makeWaitingRoom } from "../../src/mail/WaitingRoom.ts"
import { importAll, mailApp, newMailChannel, ticketsArrive } from "../support/MailApp.ts"
import { file, mail } from "../support/Mails.ts"

const untilItWaits = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.repeat(Effect.zipRight(Effect.yieldNow(), fiber.status), {
    until: (status) => !FiberStatus.isRunning(status)
  })

layer(Layer.succeed(MostWaiting, 10))("Mails that wait to be stored", (it) => {
  it.effect("let no other in while they fill the room, except the first in line", () =>
    Effect.gen(function* () {
      const room = yield* makeWaitingRoom
      const seen: Array<string> = []
      const see = (what: string) => Effect.sync(() => seen.push(what))
      const lateIn = (place: number) =>
        Effect.tap(Effect.fork(Effect.zipRight(room.enter(place), see(`${place} in`))), untilItWaits)

      for (const place of [1, 2]) yield* room.enter(place)
      yield* room.hold(4)
      yield* room.enter(3)
      yield* room.hold(6)
      const fourth = yield* lateIn(4)
      yield* room.enter(0)
      yield* room.hold(9)
      yield* see("0 out")
      yield* room.leave([9])
      yield* untilItWaits(fourth)
      yield* see("1 and 2 out")
      yield* room.leave([4, 0])
      yield* Fiber.join(fourth)
      yield* room.hold(100)
      const fifth = yield* lateIn(5)
      yield* see("3 out")
      yield* room.leave([6])
      yield* untilItWaits(fifth)
      yield* see("4 out")
      yield* room.leave([100])
      yield* Fiber.join(fifth)
      expect(seen).toEqual(["0 out", "1 and 2 out", "4 in", "3 out", "4 out", "5 in"])
    })
  )

  it.effect(
    "do not keep the first in line from being fetched, however many wait for room, nor go before their turn",
    () =>
      Effect.gen(function* () {
        const room = yield* makeWaitingRoom
        yield* room.enter(1)
        yield* room.hold(10)
        const fetched: Array<number> = []
        const fetch = (place: number) =>
          Effect.zipRight(
            room.enter(place),
            Effect.sync(() => fetched.push(place))
          )
        const others = yield* Effect.forEach([2, 3, 4, 5, 6, 7, 8], (place) =>
          Effect.tap(Effect.fork(fetch(place)), untilItWaits)
        )
        yield* fetch(0)
        expect(fetched).toEqual([0])
        yield* room.hold(1)
        yield* room.leave([1, 10])
        yield* Fiber.joinAll(others.slice(0, 5))
        yield* Effect.forEach(others.slice(5), untilItWaits)
        expect(fetched).toEqual([0, 2, 3, 4, 5, 6])
      })
  )
})

layer(mailApp().pipe(Layer.provide(Layer.succeed(MostWaiting, 1))), { excludeTestServices: true })(
  "A folder of mails that are larger than the room for them",
  (it) => {
    it.effect("is imported in order", () =>
      Effect.gen(function* () {
        const { channelID, mailbox } = yield* newMailChannel()
        const subjects = Array.from({ length: 12 }, (_, index) => `Number ${index + 1}`)
        // Every third takes longer than those behind it.
        subjects.forEach((subject, index) => {
          const files = index % 3 === 0 ? [file("long.txt", "text/plain", Buffer.from(subject))] : []
          mailbox.add("AAMk-inbox", mail({ subject }).fields, files)
        })
        yield* importAll(channelID)
        expect((yield* ticketsArrive(channelID, 12)).map(({ subject }) => subject)).toEqual(subjects)
      })
    )
  }
)
