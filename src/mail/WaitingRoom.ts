import { Context, Effect, STM, TRef } from "effect"
import type { ReadMail } from "./ReadMail.ts"

/** How many characters of fetched mails may wait to be stored before an import fetches no more. */
export class MostWaiting extends Context.Reference<MostWaiting>()("casework/MostWaiting", {
  defaultValue: () => 8_000_000
}) {}

/** How many characters of a mail are kept until it is stored, near enough. */
export const lengthOf = ({ hints, html, participants, text }: ReadMail) =>
  [html, text, ...participants, ...hints.references, ...hints.senders, ...hints.tokens].reduce(
    (sum, part) => sum + (part?.length ?? 0),
    0
  )

// One more than the concurrent requests to a mailbox, so that one is always waiting for its turn.
const fetchedAtOnce = 5

/**
 * Keeps mails that were fetched ahead of others from filling the memory: they are stored in order, so all of them wait
 * for the slowest, and strangers decide how long they are. The first in line always gets in once a fetch has ended, or
 * the others would wait for it forever: so none of them may keep it out while it waits itself.
 */
export const makeWaitingRoom = Effect.gen(function* () {
  const most = yield* MostWaiting
  const held = yield* TRef.make(0)
  const gone = yield* TRef.make(0)
  const fetching = yield* TRef.make(0)
  const add = (ref: TRef.TRef<number>, number: number) => TRef.update(ref, (before) => before + number)
  return {
    /** Waits until the mail at this place may be fetched: there is room, or all mails before it have gone. */
    enter: (place: number) =>
      STM.all([TRef.get(held), TRef.get(gone), TRef.get(fetching)]).pipe(
        STM.flatMap(([taken, before, now]) =>
          STM.check(() => now < fetchedAtOnce && (taken < most || before >= place))
        ),
        STM.zipRight(add(fetching, 1)),
        STM.commit
      ),
    /** A mail is fetched, and waits to be stored. */
    hold: (length: number) => STM.commit(STM.zipRight(add(fetching, -1), add(held, length))),
    /** The next mails in line go, with all the characters that they held. */
    leave: (lengths: ReadonlyArray<number>) =>
      add(gone, lengths.length).pipe(
        STM.zipRight(STM.forEach(lengths, (length) => add(held, -length), { discard: true })),
        STM.commit
      )
  }
})
