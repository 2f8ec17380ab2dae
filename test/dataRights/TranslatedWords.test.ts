import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { eventually } from "../support/Eventually.ts"
import { clientOf } from "../support/TestApp.ts"
import { newMessage } from "../ticketMessages/MessageTools.ts"
import { erased, rightsApp, rowsWith, shownTo, workIsDone } from "./RightsTools.ts"

const message = "My heating does not work,\nand the badger in the cellar is cold. Please help!"

layer(rightsApp, { excludeTestServices: true })("A translated text", (it) => {
  it.effect("is exported and erased with the message that it was copied from, and no other text is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { aiRuns, tickets, translations } = yield* clientOf("acme-admin")
      // More translations of other people's texts than one batch reads.
      yield* sql`
        insert into ai_run (customer_id, purpose, slot, prompt_version, system_prompt, user_prompt, prompt_input,
          duration_ms, outcome, output)
        select 1, 'Translation', 'EmailText', 'translation-1', '', 'an otter', '{"text": "an otter"}', 1, 'Succeeded',
          'une loutre'
        from generate_series(1, 250)`
      const { ticketID } = yield* newMessage({ fromAddress: "brock@people.example", message })
      yield* workIsDone
      const endUserID = yield* Option.fromNullable((yield* tickets.getTicket({ path: { id: ticketID } })).endUserID)
      const translate = (sourceText: string) => translations.translate({ payload: { sourceText, targetLang: "de" } })
      yield* translate(message)
      yield* translate("the badger in the cellar is cold.")
      yield* translations.translateToHtml({
        payload: {
          sourceText: "<p>My heating <b>does not work</b>, and the badger in the cellar is cold.</p>",
          targetLang: "fr"
        }
      })
      const whole = yield* sql<{ id: number }>`
        select min(ai_run_id) as id from ai_run where customer_id = 1 and purpose = 'Translation' and user_prompt ~ 'badger'`
      const [first] = (yield* aiRuns.listAiRuns({ urlParams: { purpose: "Translation" } })).items.filter(
        ({ aiRunID }) => aiRunID === whole[0]?.id
      )
      yield* aiRuns.replayAiRun({ path: { id: (yield* Option.fromNullable(first)).aiRunID }, payload: {} })
      // The message within somebody else's words, and parts of it alone and among other words.
      yield* translate(`Olga asks: what is this? ${message}`)
      yield* translate("Please help! The ferret is cold.")
      yield* translate("My heating does not work")
      yield* translate("Please help")

      const shown = yield* (yield* shownTo(endUserID))("AiRuns")
      const ownRuns = shown.filter(({ purpose }) => /^Translation/.test(String(purpose)))
      expect(ownRuns.map(({ purpose }) => purpose).toSorted()).toEqual([
        "Translation",
        "Translation",
        "Translation",
        "Translation",
        "TranslationHtml"
      ])
      expect(JSON.stringify(ownRuns)).not.toMatch(/Olga|ferret/)

      // A translation that ends after the person has been erased.
      const { dataRights } = yield* clientOf("acme-admin")
      yield* dataRights.eraseEndUser({ path: { id: endUserID } })
      yield* eventually(
        sql`select 1 from data_request where customer_id = 1 and about_end_user = ${endUserID} and erased_at is not null`,
        (rows) => rows.length === 1
      )
      yield* sql`
        insert into ai_run (customer_id, purpose, slot, prompt_version, system_prompt, user_prompt, prompt_input,
          duration_ms, outcome, output)
        values (1, 'Translation', 'EmailText', 'translation-1', '', 'the badger', '{"text": "the badger"}', 90000,
          'Succeeded', 'le badger')`
      expect((yield* erased(endUserID)).Status).toBe("Succeeded")
      expect(yield* rowsWith("badger")).toEqual({})
      const left = yield* sql<{ text: string }>`
        select prompt_input ->> 'text' as text from ai_run
        where customer_id = 1 and purpose = 'Translation' and user_prompt ~* 'please help|heating' order by ai_run_id`
      expect(left.map(({ text }) => text)).toEqual(["Please help! The ferret is cold.", "Please help"])
    })
  )
})
