import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Option, Schema } from "effect"
import type { Retention } from "../platform/queue/Retention.ts"

export const mailboxRetentions: ReadonlyArray<Retention> = ["mailbox_turn", "mailbox_wish", "mailbox_pause"].map(
  (table) => ({ table, since: "ends_at", for: "1 hour" })
)

/** A turn of this node. */
export interface Turn {
  readonly mailbox: string
  readonly number: number
}

/** How many concurrent requests the provider accepts for one mailbox, from all nodes together. */
export const turnsOfMailbox = 4

/** The longest a request waits for the provider in place; for longer, the caller has to come back later. */
export const longestPause = Duration.seconds(60)

// Longer than a live node takes to renew a turn.
const turnSeconds = 15
const wishSeconds = 2

/** Turns at mailboxes, shared by all nodes. The key of a mailbox says whose it is; only this repo reads it. */
export const makeMailboxTurnsRepo = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const node = randomUUID()
  const decode = Schema.decodeUnknown(Schema.Array(Schema.Struct({ number: Schema.Int })))
  const ends = (seconds: number) => sql`now() + make_interval(secs => ${seconds}::int)`
  // A pause that ends later than any pause may was written before the clock was set back.
  const isPossible = sql`p.ends_at <= ${ends(Duration.toSeconds(longestPause))}`
  const pauseOf = (mailbox: string) => sql`
    from mailbox_pause p where p.mailbox = ${mailbox} and p.ends_at > now() and ${isPossible}`
  const mailboxesOf = (turns: ReadonlyArray<Turn>) => turns.map(({ mailbox }) => mailbox)
  const numbersOf = (turns: ReadonlyArray<Turn>) => turns.map(({ number }) => number)

  return {
    /** Takes another turn if one is free, this node has not used up its fair share and the mailbox is not paused. */
    take: (mailbox: string) =>
      sql`
        with nodes as (
          select node from mailbox_turn where mailbox = ${mailbox} and ends_at > now()
          union select node from mailbox_wish where mailbox = ${mailbox} and ends_at > now()
          union select ${node}::uuid)
        insert into mailbox_turn (mailbox, number, node, ends_at)
        select ${mailbox}, number, ${node}::uuid, ${ends(turnSeconds)} from generate_series(1, ${turnsOfMailbox}::int) number
        where not exists (select 1 ${pauseOf(mailbox)})
          and not exists (
            select 1 from mailbox_turn t where t.mailbox = ${mailbox} and t.number = number.number and t.ends_at > now())
          and (select count(*) from mailbox_turn t
              where t.mailbox = ${mailbox} and t.node = ${node}::uuid and t.ends_at > now())
            < ceil(${turnsOfMailbox}::float8 / (select count(*) from nodes))
        order by random() limit 1
        on conflict (mailbox, number) do update set node = excluded.node, ends_at = excluded.ends_at
          where mailbox_turn.ends_at <= now()
        returning number`.pipe(
        Effect.flatMap(decode),
        Effect.map(
          ([row]): Option.Option<Turn> => (row === undefined ? Option.none() : Option.some({ mailbox, ...row }))
        ),
        Effect.orDie
      ),
    /**
     * Notes that this node wants a turn, so that it gets its share; returns how many milliseconds the mailbox is still
     * paused.
     */
    wish: (mailbox: string) =>
      sql`
        insert into mailbox_wish (mailbox, node, ends_at) values (${mailbox}, ${node}::uuid, ${ends(wishSeconds)})
        on conflict (mailbox, node) do update set ends_at = excluded.ends_at
        returning coalesce((
          select ceil(1000 * extract(epoch from p.ends_at - now())) ${pauseOf(mailbox)}), 0)::int as number`.pipe(
        Effect.flatMap(decode),
        Effect.map(([row]) => row?.number ?? 0),
        Effect.orDie
      ),
    /** Makes every node pause the mailbox. */
    pause: (mailbox: string, milliseconds: number) =>
      sql`
        insert into mailbox_pause as p (mailbox, ends_at)
        values (${mailbox}, now() + make_interval(secs => ${milliseconds / 1000}::float8))
        on conflict (mailbox) do update set ends_at = greatest(case when ${isPossible} then p.ends_at end, excluded.ends_at)`.pipe(
        Effect.asVoid,
        Effect.orDie
      ),
    renew: (turns: ReadonlyArray<Turn>) =>
      sql`
        update mailbox_turn t set ends_at = ${ends(turnSeconds)}
        from unnest(${mailboxesOf(turns)}::text[], ${numbersOf(turns)}::int[]) mine (mailbox, number)
        where t.mailbox = mine.mailbox and t.number = mine.number and t.node = ${node}::uuid`.pipe(Effect.orDie),
    giveBack: (turns: ReadonlyArray<Turn>) =>
      sql`
        delete from mailbox_turn t
        using unnest(${mailboxesOf(turns)}::text[], ${numbersOf(turns)}::int[]) mine (mailbox, number)
        where t.mailbox = mine.mailbox and t.number = mine.number and t.node = ${node}::uuid`.pipe(Effect.orDie)
  }
})
