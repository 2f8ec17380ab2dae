import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { CustomerID, EndUserID } from "../../schema/Ids.ts"
import { searchPatterns } from "../platform/database/SearchWords.ts"
import type { Placeholder } from "../platform/database/WrittenOnce.ts"
import { lowered } from "./EndUserUids.ts"

export class SendersRepo extends Context.Tag("casework/SendersRepo")<
  SendersRepo,
  {
    /**
     * Finds an end user by the first of these words that matches one: as a UID, else as an email address, else as a
     * phone number. Of several matches the oldest one wins.
     */
    readonly find: (customerID: CustomerID, words: ReadonlyArray<string>) => Effect.Effect<Option.Option<EndUserID>>
    /** Keeps other transactions from adding an end user with these words until this one ends. */
    readonly lock: (customerID: CustomerID, words: ReadonlyArray<string>) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    SendersRepo,
    Effect.suspend(() => make)
  )
}

/** A word and its search patterns, or their placeholders in a statement. */
interface Word {
  readonly word: string | Placeholder
  readonly patterns: ReadonlyArray<string | Placeholder>
}

/** A SQL expression for the id of the end user found by these words. */
export const knownBy = (sql: SqlClient.SqlClient, customerID: number | Placeholder, words: ReadonlyArray<Word>) =>
  sql`coalesce(${sql.csv(
    words.flatMap(
      ({ patterns, word }): ReadonlyArray<Statement.Fragment> => [
        sql`(select min(end_user_id) from end_user_uid where customer_id = ${customerID} and lower(uid) = lower(${word}))`,
        sql`(select min(end_user_id) from end_user where customer_id = ${customerID} and lower(email) = lower(${word}))`,
        sql`(select min(end_user_id) from end_user where customer_id = ${customerID} and phone = ${word}
      and ${sql.and(patterns.map((pattern) => sql`search_text like ${pattern}`))})`
      ]
    )
  )})`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, words: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ endUserID: Schema.NullOr(EndUserID) }),
    execute: (_) => {
      const words = _.words.map((word) => ({ word, patterns: searchPatterns(word) }))
      return sql`select ${knownBy(sql, _.customerID, words)} as "endUserID"`
    }
  })
  const lock = SqlSchema.void({
    Request: Schema.Struct({ customerID: CustomerID, word: Schema.String }),
    execute: (_) => sql`select pg_advisory_xact_lock(hashtextextended(${`end user ${_.customerID} ${_.word}`}, 0))`
  })

  return SendersRepo.of({
    find: (customerID, words) =>
      words.length === 0
        ? Effect.succeedNone
        : find({ customerID, words }).pipe(
            Effect.map(({ endUserID }) => Option.fromNullable(endUserID)),
            Effect.orDie
          ),
    lock: (customerID, words) => {
      // Always in the same order, so that two callers cannot deadlock.
      const inOrder = [...new Set(words.map(lowered))].sort()
      return Effect.forEach(inOrder, (word) => lock({ customerID, word }), { discard: true }).pipe(Effect.orDie)
    }
  })
})
