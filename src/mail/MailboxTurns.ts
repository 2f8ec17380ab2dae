import { Effect, Option, Random, Schedule } from "effect"
import { makeKeyedPermits } from "../platform/concurrency/KeyedPermits.ts"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import { failureKind } from "./FailureKind.ts"
import { makeMailboxTurnsRepo, type Turn, turnsOfMailbox } from "./MailboxTurnsRepo.ts"

// After `longestTurn` a turn is given back, so that another node may get it; an unused one already after `longestIdle`.
const longestTurn = 2000
const longestIdle = 500

/** Restores interruptibility inside an uninterruptible region. */
type Restore = <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface HeldTurn extends Turn {
  readonly since: number
  isFree: boolean
  usedAt: number
}

/**
 * Limits the concurrent requests to a mailbox across all nodes, and holds them back while the provider asks to wait. A
 * node keeps a turn for many requests, so that the database is asked a few times a second and not for each.
 */
export const makeMailboxTurns = Effect.gen(function* () {
  const repo = yield* makeMailboxTurnsRepo
  const now = yield* steadyClock
  const permits = yield* makeKeyedPermits(turnsOfMailbox)
  // Only one fiber at a time asks for a turn: several would go for the same one.
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

  /** Reuses a free turn of this node or takes another one; none while other nodes have them all. */
  const tryToFind = (mailbox: string, restore: Restore): Effect.Effect<Option.Option<HeldTurn>> =>
    Effect.suspend(() => {
      const free = [...(held.get(mailbox) ?? [])].find((turn) => turn.isFree && !isOld(turn))
      if (free === undefined) return askForOne(mailbox, restore)
      free.isFree = false
      return Effect.succeedSome(free)
    })

  /** Only waiting can be interrupted: a turn that was taken and then dropped would never be given back. */
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
          Effect.logWarning("a turn at a mailbox was not released and is left to expire", failureKind(cause))
        )
      }
      turn.isFree = true
      turn.usedAt = now()
      return Effect.void
    })

  const all = () => [...held.values()].flatMap((turns) => [...turns])

  const isIdle = (turn: HeldTurn) => turn.isFree && (isOld(turn) || now() - turn.usedAt > longestIdle)

  const quietly = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
    Effect.catchAllCause(effect, (cause) => Effect.logDebug("could not update the turns at mailboxes", cause))

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
    /** Pauses the mailbox; other nodes learn of it when they next need a turn. */
    pause: (key: string, milliseconds: number) =>
      Effect.suspend(() => {
        const mailbox = key.toLowerCase()
        leaveAlone(mailbox, milliseconds)
        return quietly(repo.pause(mailbox, milliseconds))
      })
  }
})
