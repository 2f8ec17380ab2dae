import { Effect, Option, Random, Schedule } from "effect"
import { makeKeyedPermits } from "../platform/KeyedPermits.ts"
import { steadyClock } from "../platform/SteadyClock.ts"
import { failureKind } from "./FailureKind.ts"
import { makeMailboxTurnsRepo, type Turn, turnsOfMailbox } from "./MailboxTurnsRepo.ts"

// After this long a turn goes back, so that another node may have it; between two requests it stays for a moment.
const longestTurn = 2000
const longestIdle = 500

/** Makes interruptible again what stands in the middle of something that is not. */
type Restore = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface HeldTurn extends Turn {
  readonly since: number
  isFree: boolean
  usedAt: number
}

/**
 * Lets requests to a mailbox through, a few at a time from all nodes together, and none while the provider wants to be
 * left alone. A node keeps a turn for many requests: the database is asked about a few times a second, not for each.
 */
export const makeMailboxTurns = Effect.gen(function* () {
  const repo = yield* makeMailboxTurnsRepo
  const now = yield* steadyClock
  const permits = yield* makeKeyedPermits(turnsOfMailbox)
  // One asks for a turn at a time: several would want the same.
  const asking = yield* makeKeyedPermits(1)
  const held = new Map<string, Set<HeldTurn>>()
  const pausedUntil = new Map<string, number>()

  const afterPause = (mailbox: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const left = (pausedUntil.get(mailbox) ?? 0) - now()
      return left > 0 ? Effect.zipRight(Effect.sleep(left), afterPause(mailbox)) : Effect.void
    })

  const leaveAlone = (mailbox: string, milliseconds: number) => {
    pausedUntil.set(mailbox, Math.max(pausedUntil.get(mailbox) ?? 0, now() + milliseconds))
  }

  const forgetPauses = () => {
    for (const [mailbox, end] of pausedUntil) if (end <= now()) pausedUntil.delete(mailbox)
  }

  const isOld = ({ since }: HeldTurn) => now() - since > longestTurn

  const forget = (old: ReadonlyArray<HeldTurn>) => {
    for (const turn of old) {
      const left = held.get(turn.mailbox)
      left?.delete(turn)
      if (left?.size === 0) held.delete(turn.mailbox)
    }
    return old.length === 0 ? Effect.void : repo.giveBack(old)
  }

  const hold = (turn: Turn) => {
    const mine: HeldTurn = { ...turn, since: now(), isFree: false, usedAt: 0 }
    held.set(turn.mailbox, (held.get(turn.mailbox) ?? new Set()).add(mine))
    return mine
  }

  const askForOne = (mailbox: string, restore: Restore) =>
    restore(asking.take(mailbox)).pipe(Effect.zipRight(repo.take(mailbox)), Effect.map(Option.map(hold)), Effect.scoped)

  /** One that is at hand, else one more; none while other nodes have them. */
  const tryToFind = (mailbox: string, restore: Restore): Effect.Effect<Option.Option<HeldTurn>> =>
    Effect.suspend(() => {
      const free = [...(held.get(mailbox) ?? [])].find((turn) => turn.isFree && !isOld(turn))
      if (free === undefined) return askForOne(mailbox, restore)
      free.isFree = false
      return Effect.succeedSome(free)
    })

  /** Only the waiting can be interrupted: a turn that was found and not held on to would never come back. */
  const find = (mailbox: string, restore: Restore): Effect.Effect<HeldTurn> =>
    Effect.flatMap(
      tryToFind(mailbox, restore),
      Option.match({
        onSome: Effect.succeed,
        onNone: () =>
          repo.wish(mailbox).pipe(
            Effect.map((milliseconds) => leaveAlone(mailbox, milliseconds)),
            Effect.zipRight(Effect.flatMap(Random.nextIntBetween(40, 80), (pause) => Effect.sleep(pause))),
            Effect.zipRight(afterPause(mailbox)),
            restore,
            Effect.zipRight(Effect.suspend(() => find(mailbox, restore)))
          )
      })
    )

  const release = (turn: HeldTurn) =>
    Effect.suspend(() => {
      if (isOld(turn)) {
        return Effect.catchAllCause(forget([turn]), (cause) =>
          Effect.logWarning("a turn at a mailbox was not given back, and ends by itself", failureKind(cause))
        )
      }
      turn.isFree = true
      turn.usedAt = now()
      return Effect.void
    })

  const all = () => [...held.values()].flatMap((turns) => [...turns])

  const isIdle = (turn: HeldTurn) => turn.isFree && (isOld(turn) || now() - turn.usedAt > longestIdle)

  const quietly = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
    Effect.catchAllCause(effect, (cause) => Effect.logDebug("turns at mailboxes", cause))

  yield* Effect.suspend(() => {
    forgetPauses()
    return forget(all().filter(isIdle))
  }).pipe(quietly, Effect.repeat(Schedule.spaced("250 millis")), Effect.forkScoped)
  yield* Effect.suspend(() => (all().length === 0 ? Effect.void : repo.renew(all()))).pipe(
    quietly,
    Effect.repeat(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => quietly(Effect.suspend(() => forget(all()))))

  return {
    /** Takes a turn that ends with the scope. */
    take: (key: string) => {
      const mailbox = key.toLowerCase()
      return Effect.zipRight(
        afterPause(mailbox),
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            yield* restore(permits.take(mailbox))
            const turn = yield* find(mailbox, restore)
            yield* Effect.addFinalizer(() => release(turn))
          })
        )
      )
    },
    /** What one node was told, the others learn with their next turn. */
    pause: (key: string, milliseconds: number) =>
      Effect.suspend(() => {
        const mailbox = key.toLowerCase()
        leaveAlone(mailbox, milliseconds)
        return quietly(repo.pause(mailbox, milliseconds))
      })
  }
})
