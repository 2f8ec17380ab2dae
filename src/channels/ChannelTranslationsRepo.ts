import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema, Struct } from "effect"
import { ChannelTranslation, type ChatTexts } from "../../schema/ChannelTranslations.ts"
import { ChannelID, type ChannelTranslationID, CustomerID } from "../../schema/Ids.ts"
import { ownRows } from "../platform/database/OwnRows.ts"
import type { Duplicate } from "../platform/database/Violations.ts"

const textColumns = {
  chatTitle: "chat_title",
  defaultGreeting: "default_greeting",
  sendButtonText: "send_button_text",
  escalatePrompt: "escalate_prompt",
  yesText: "yes_text",
  noText: "no_text",
  availabilityCheck: "availability_check",
  validEmail: "valid_email",
  youText: "you_text",
  submitButtonText: "submit_button_text",
  succesfulSubmission: "succesful_submission",
  agentJoin: "agent_join"
} as const satisfies Readonly<Record<keyof typeof ChatTexts.fields, string>>

type TranslationFields = Omit<ChannelTranslation, "channelTranslationID">

type Find = (
  customerID: CustomerID,
  channelTranslationID: ChannelTranslationID
) => Effect.Effect<Option.Option<ChannelTranslation>>

export class ChannelTranslationsRepo extends Context.Tag("casework/ChannelTranslationsRepo")<
  ChannelTranslationsRepo,
  {
    readonly list: (customerID: CustomerID, channelID: ChannelID) => Effect.Effect<ReadonlyArray<ChannelTranslation>>
    readonly find: Find
    /** Locks the row until the transaction ends. */
    readonly findForUpdate: Find
    readonly insert: (customerID: CustomerID, fields: TranslationFields) => Effect.Effect<ChannelTranslation, Duplicate>
    readonly update: (
      customerID: CustomerID,
      channelTranslationID: ChannelTranslationID,
      fields: TranslationFields
    ) => Effect.Effect<boolean, Duplicate>
    readonly delete: (customerID: CustomerID, channelTranslationID: ChannelTranslationID) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    ChannelTranslationsRepo,
    Effect.suspend(() => make)
  )
}

const valuesOf = (fields: TranslationFields) => ({
  channel_id: fields.channelID,
  lang: fields.lang,
  ...Object.fromEntries(Struct.entries(textColumns).map(([field, column]) => [column, fields[field]]))
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(
    [
      `channel_translation_id as "channelTranslationID", channel_id as "channelID", lang`,
      ...Struct.entries(textColumns).map(([field, column]) => `${column} as "${field}"`)
    ].join(", ")
  )
  const rows = ownRows(sql, {
    table: "channel_translation",
    key: "channel_translation_id",
    columns,
    Result: ChannelTranslation,
    shown: `exists (select from channel c where c.customer_id = channel_translation.customer_id
      and c.channel_id = channel_translation.channel_id and c.deleted_at is null)`
  })
  const list = SqlSchema.findAll({
    Request: Schema.Struct({ customerID: CustomerID, channelID: ChannelID }),
    Result: ChannelTranslation,
    execute: (_) => sql`
      select ${columns} from channel_translation
      where customer_id = ${_.customerID} and channel_id = ${_.channelID} order by lang collate "C"`
  })

  return ChannelTranslationsRepo.of({
    list: (customerID, channelID) => list({ customerID, channelID }).pipe(Effect.orDie),
    find: rows.find,
    findForUpdate: rows.findForUpdate,
    insert: (customerID, fields) => rows.insert(customerID, valuesOf(fields)),
    update: (customerID, channelTranslationID, fields) =>
      rows.update(customerID, channelTranslationID, valuesOf(fields)),
    delete: rows.delete
  })
})
