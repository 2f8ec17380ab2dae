import { Effect, Option, Random, Schedule } from "effect"
import { makeMailboxTurnsRepo, type Turn, turnsOfMailbox } from "./MailboxTurnsRepo.ts"

// After this long a turn goes back, so that another node may have it; between two requests it stays for a moment.
const longestTurn = 2000
const longestIdle = 500

interface HeldTurn extends Turn {
  readonly since: number
  isFree: boolean
  usedAt: number
}

interface Turns {
  readonly key: string
  readonly semaphore: Effect.Semaphore
  /** One asks for a turn at a time: several would want the same. */
  readonly asking: Effect.Semaphore
  readonly held: Set<HeldTurn>
  pausedUntil: number
}

/**
 * Lets requests to a mailbox through, a few at a time from all nodes together, and none while the provider wants to be
 * left alone. A node keeps a turn for many requests: the database is asked about a few times a second, not for each.
 */
export const makeMailboxTurns = Effect.gen(function* () {
  const repo = yield* makeMailboxTurnsRepo
  const mailboxes = new Map<string, Turns>()

  const turnsOf = (address: string) => {
    const key = address.toLowerCase()
    const turns = mailboxes.get(key) ?? {
      key,
      semaphore: Effect.unsafeMakeSemaphore(turnsOfMailbox),
      asking: Effect.unsafeMakeSemaphore(1),
      held: new Set<HeldTurn>(),
      pausedUntil: 0
    }
    mailboxes.set(key, turns)
    return turns
  }

  const afterPause = (turns: Turns): Effect.Effect<void> =>
    Effect.suspend(() => {
      const left = turns.pausedUntil - Date.now()
      return left > 0 ? Effect.zipRight(Effect.sleep(left), afterPause(turns)) : Effect.void
    })

  const leaveAlone = (turns: Turns, milliseconds: number) => {
    turns.pausedUntil = Math.max(turns.pausedUntil, Date.now() + milliseconds)
  }

  const isOld = ({ since }: HeldTurn) => Date.now() - since > longestTurn

  const forget = (old: ReadonlyArray<HeldTurn>) => {
    for (const turn of old) mailboxes.get(turn.mailbox)?.held.delete(turn)
    return old.length === 0 ? Effect.void : repo.giveBack(old)
  }

  const hold = (turns: Turns, turn: Turn) => {
    const held = { ...turn, since: Date.now(), isFree: false, usedAt: 0 }
    turns.held.add(held)
    return held
  }

  /** One that is at hand, else one more; none while other nodes have them. */
  const tryToFind = (turns: Turns): Effect.Effect<Option.Option<HeldTurn>> =>
    Effect.suspend(() => {
      const free = [...turns.held].find((turn) => turn.isFree && !isOld(turn))
      if (free === undefined)
        return Effect.map(
          turns.asking.withPermits(1)(repo.take(turns.key)),
          Option.map((turn) => hold(turns, turn))
        )
      free.isFree = false
      return Effect.succeedSome(free)
    })

  /** Only the waiting can be interrupted: a turn that was found and not held on to would never come back. */
  const find = (
    turns: Turns,
    restore: <A, E, R>(wait: Effect.Effect<A, E, R>) => typeof wait
  ): Effect.Effect<HeldTurn> =>
    Effect.flatMap(
      tryToFind(turns),
      Option.match({
        onSome: Effect.succeed,
        onNone: () =>
          repo.wish(turns.key).pipe(
            Effect.map((milliseconds) => leaveAlone(turns, milliseconds)),
            Effect.zipRight(Effect.flatMap(Random.nextIntBetween(40, 80), (pause) => Effect.sleep(pause))),
            Effect.zipRight(afterPause(turns)),
            restore,
            Effect.zipRight(Effect.suspend(() => find(turns, restore)))
          )
      })
    )

  const release = (turn: HeldTurn) =>
    Effect.suspend(() => {
      if (isOld(turn)) return Effect.catchAllCause(forget([turn]), () => Effect.void)
      turn.isFree = true
      turn.usedAt = Date.now()
      return Effect.void
    })

  const all = () => [...mailboxes.values()].flatMap(({ held }) => [...held])

  const isIdle = (turn: HeldTurn) => turn.isFree && (isOld(turn) || Date.now() - turn.usedAt > longestIdle)

  const quietly = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
    Effect.catchAllCause(effect, (cause) => Effect.logDebug("turns at mailboxes", cause))

  yield* Effect.suspend(() => forget(all().filter(isIdle))).pipe(
    quietly,
    Effect.repeat(Schedule.spaced("250 millis")),
    Effect.forkScoped
  )
  yield* Effect.suspend(() => (all().length === 0 ? Effect.void : repo.renew(all()))).pipe(
    quietly,
    Effect.repeat(Schedule.spaced("5 seconds")),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => quietly(Effect.suspend(() => forget(all()))))

  return {
    /** Takes a turn that ends with the scope. */
    take: (address: string) => {
      const turns = turnsOf(address)
      return Effect.zipRight(
        afterPause(turns),
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            yield* restore(turns.semaphore.take(1))
            yield* Effect.addFinalizer(() => turns.semaphore.release(1))
            const turn = yield* find(turns, restore)
            yield* Effect.addFinalizer(() => release(turn))
          })
        )
      )
    },
    /** What one node was told, the others learn with their next turn. */
    pause: (address: string, milliseconds: number) =>
      Effect.suspend(() => {
        const turns = turnsOf(address)
        leaveAlone(turns, milliseconds)
        return quietly(repo.pause(turns.key, milliseconds))
      })
  }
})
