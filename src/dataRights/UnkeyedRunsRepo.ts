import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { AiRunID, CustomerID } from "../../schema/Ids.ts"
import type { DataRequest } from "../endUsers/DataRequestsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { mentionsOf } from "./PersonalRowsSql.ts"
import type { Person } from "./PersonsRepo.ts"

const Found = Schema.Struct({
  aiRunID: AiRunID,
  /**
   * Whether an export shows the run: all of its text is the person's, or it mentions the person. Other runs may contain
   * more than the person's words.
   */
  isShown: Schema.Boolean
})

const PageEnd = Schema.Struct({ last: Schema.NullOr(Schema.Int) })
type PageEnd = typeof PageEnd.Type

/** AI calls that are about no message, for instance translations of text that somebody has copied out of a message. */
export class UnkeyedRunsRepo extends Context.Tag("casework/UnkeyedRunsRepo")<
  UnkeyedRunsRepo,
  {
    /**
     * Finds runs after the given id. Starting at 0 it reads much of the ledger: call it outside of transactions then.
     */
    readonly find: (person: Person, behind: number) => Effect.Effect<ReadonlyArray<typeof Found.Type>>
    readonly newest: (customerID: CustomerID) => Effect.Effect<number>
    /** Translations that ran during the erasure. Nobody can tell any more whose words they contain. */
    readonly underWay: (request: DataRequest) => Effect.Effect<ReadonlyArray<AiRunID>>
  }
>() {
  static readonly layer = Layer.effect(
    UnkeyedRunsRepo,
    Effect.suspend(() => make)
  )
}

/** A shorter text occurs in many others, so it must match a whole text. */
const shortest = 12

/** A shorter message may be part of anybody's text. */
const shortestPart = 30

/** How many runs are searched at a time: a statement must not take long, and some runs contain many pages. */
const pageSize = 100

const bare = (text: string) => `regexp_replace(lower(${text}), '[[:space:][:punct:]]+', '', 'g')`

const withoutTags = "regexp_replace(m.html_body, '<[^>]*>', ' ', 'g')"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const decodeFound = Schema.decodeUnknown(Schema.Array(Found))
  const findNewest = SqlSchema.single({
    Request: CustomerID,
    Result: Schema.Struct({ aiRunID: Schema.Int }),
    execute: (customerID) => sql`
      select coalesce(max(ai_run_id), 0) as "aiRunID" from ai_run
      where customer_id = ${customerID} and ticket_message_id is null`
  })
  const findUnderWay = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, dataRequestID: Schema.UUID }),
    Result: Schema.Struct({ aiRunID: AiRunID }),
    // Open-ended: further calls for the same text follow the first one.
    execute: (_) => sql`
      select r.ai_run_id as "aiRunID" from data_request d join ai_run r on r.customer_id = d.customer_id
      where d.customer_id = ${_.customerID} and d.data_request_id = ${_.dataRequestID}::uuid
        and r.ticket_message_id is null and r.purpose in ('Translation', 'TranslationHtml')
        and r.created_at >= d.erased_at`
  })

  /** The last id of the page that follows the given id. */
  const findPageEnd = SqlSchema.single({
    Request: Schema.Struct({ customerID: CustomerID, behind: Schema.Int }),
    Result: PageEnd,
    execute: (_) => sql`
      select max(ai_run_id) as last from (
        select ai_run_id from ai_run
        where customer_id = ${_.customerID} and ticket_message_id is null and user_prompt <> ''
          and ai_run_id > ${_.behind}
        order by ai_run_id limit ${pageSize}) page`
  })

  /**
   * Whether the words are among the person's texts. A web page may have short texts, which must match as a whole; its
   * texts are also looked up joined together.
   */
  const isKnown = (words: string) =>
    sql.literal(
      `strpos(known.words, case when length(${words}) < ${shortest} then '|' || ${words} || '|' else ${words} end) > 0`
    )

  const findOn = fn("UnkeyedRunsRepo.findOn")(function* (person: Person, behind: number, last: number) {
    const { customerID, messageIDs } = person
    const mentions = mentionsOf(sql, person)
    const tells = sql`(${mentions("r.user_prompt")} or ${mentions("r.output")} or ${mentions("r.prompt_input::text")}
      or ${mentions("r.error")})`
    const rows = yield* sql`
      with said as materialized (
        select distinct words from ticket_message m
        cross join lateral unnest(array[m.message, m.subject, m.text_body, m.ai_reply, ${sql.literal(withoutTags)}]) text
        cross join lateral ${sql.literal(bare("text"))} words
        where m.customer_id = ${customerID} and m.ticket_message_id = any(${messageIDs}::int[]) and words <> ''),
      known as materialized (select '|' || string_agg(words, '|') || '|' as words from said)
      select r.ai_run_id as "aiRunID", coalesce(asked.is_own, false) or ${tells} as "isShown"
      from ai_run r cross join known cross join lateral (
        select bool_and(${isKnown("one")}) or ${isKnown("string_agg(one, '' order by number)")} as is_own,
          string_agg(one, '' order by number) as words
        from (
          select 0 as number, r.prompt_input ->> 'text' as text
          union all
          select number, text from jsonb_array_elements_text(case jsonb_typeof(r.prompt_input -> 'texts')
            when 'array' then r.prompt_input -> 'texts' else '[]' end) with ordinality texts (text, number)) parts
        cross join lateral ${sql.literal(bare("text"))} one
        where one <> '' and r.purpose in ('Translation', 'TranslationHtml')) asked
      where r.customer_id = ${customerID} and r.ticket_message_id is null and r.ai_run_id > ${behind} and r.ai_run_id <= ${last}
        and r.user_prompt <> '' and (${tells} or asked.is_own or exists (
          select from said where length(said.words) >= ${shortestPart} and strpos(asked.words, said.words) > 0))
      order by 1`
    return yield* decodeFound(rows)
  })

  return UnkeyedRunsRepo.of({
    find: fn("UnkeyedRunsRepo.find")(function* (person, behind) {
      const found: Array<typeof Found.Type> = []
      for (let from: number | null = behind; from !== null; ) {
        const { last }: PageEnd = yield* findPageEnd({ customerID: person.customerID, behind: from })
        if (last !== null) found.push(...(yield* findOn(person, from, last)))
        from = last
      }
      return found
    }, Effect.orDie),

    newest: (customerID) => Effect.map(findNewest(customerID), ({ aiRunID }) => aiRunID).pipe(Effect.orDie),

    underWay: (request) =>
      Effect.map(findUnderWay(request), (rows) => rows.map(({ aiRunID }) => aiRunID)).pipe(Effect.orDie)
  })
})
