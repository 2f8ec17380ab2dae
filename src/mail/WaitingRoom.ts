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

/**
 * Keeps mails that were fetched ahead of others from filling the memory: they are stored in order, so all of them wait
 * for the slowest, and strangers decide how long they are. The first in line always gets in, or the others would wait
 * for it forever.
 */
export const makeWaitingRoom = Effect.gen(function* () {
  const most = yield* MostWaiting
  const held = yield* TRef.make(0)
  const gone = yield* TRef.make(0)
  const add = (length: number) => TRef.update(held, (before) => before + length)
  return {
    /** Waits until there is room, or until all mails before this place have gone. */
    enter: (place: number) =>
      STM.all([TRef.get(held), TRef.get(gone)]).pipe(
        STM.flatMap(([taken, before]) => STM.check(() => taken < most || before >= place)),
        STM.commit
      ),
    hold: (length: number) => STM.commit(add(length)),
    /** The next mails in line go, with all the characters that they held. */
    leave: (lengths: ReadonlyArray<number>) =>
      TRef.update(gone, (before) => before + lengths.length).pipe(
        STM.zipRight(STM.forEach(lengths, (length) => add(-length), { discard: true })),
        STM.commit
      )
  }
})
