import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { DocumentCreate } from "../../schema/Documents.ts"
import { fire, freshHook, onHook, resultsOf, settledMessage } from "../automation/AutomationTools.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"
import { fresh } from "../topics/Mappings.ts"

const documentOf = (fields: Partial<DocumentCreate>) =>
  Effect.flatMap(clientOf("acme-admin"), ({ documents }) =>
    documents.createDocument({ payload: { name: fresh("Document"), isDataRetrievalProcess: false, ...fields } })
  ).pipe(Effect.map(({ documentID }) => documentID))

const often = (name: string) => `{{${name}}}`.repeat(6_000)

const tooLong = /^With its values filled in, the text is longer than 4194304 characters/

const refusal = { status: 400, message: expect.stringMatching(tooLong) }

const call = { isDataRetrievalProcess: true, apiEndpoint: "https://api.example/x", apiMethod: "POST" } as const

// Repeated a hundred times, this is longer than any text may be.
const longText = "x".repeat(100_000)

layer(testApp(), { excludeTestServices: true })("A document that is too long with its values", (it) => {
  it.effect("is refused when it is read and when it is retrieved, whatever the values are escaped for", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("acme-admin")
      const { topics } = yield* clientOf("acme-admin")
      yield* topics.createTopic({ payload: { name: fresh("Long"), description: "x".repeat(10_000) } })
      const read = yield* documentOf({ content: often("TopicList") })
      const answer = yield* sendJson("GET", `/api/Documents/${read}?replacePlaceholders=true`, { token })
      expect(answer.json).toMatchObject(refusal)

      const types = ["application/json", "application/x-www-form-urlencoded", "text/xml", "text/plain"]
      for (const fields of [
        ...types.map((type) => ({ apiBodyTemplate: often("x"), apiHeaders: JSON.stringify({ "Content-Type": type }) })),
        { apiHeaders: JSON.stringify({ "X-Long": "{{x}}".repeat(100) }) },
        { apiEndpoint: `https://api.example/${"{{x}}".repeat(100)}` }
      ]) {
        const id = yield* documentOf({ ...call, ...fields })
        const body = { variables: { x: longText } }
        const { json } = yield* sendJson("POST", `/api/Documents/${id}/retrieve`, { token, body })
        expect([fields.apiHeaders, json]).toMatchObject([fields.apiHeaders, refusal])
      }
    })
  )

  it.effect("is cut for a prompt, but fails an action that needs it whole", () =>
    Effect.gen(function* () {
      const { messageID } = yield* settledMessage({ message: longText })
      const { ticketMessagesOnPhone, topicDocuments } = yield* clientOf("acme-admin")
      const content = often("Message.text")
      const [hookName, documentID] = [freshHook(), yield* documentOf({ content })]
      yield* topicDocuments.createTopicDocument({ payload: { hookName, documentID } })
      const { promptDocuments } = yield* ticketMessagesOnPhone.listPromptDocuments({
        path: { id: messageID },
        urlParams: { hookName }
      })
      const filled = promptDocuments.find((one) => one.documentID === documentID)
      expect([filled?.content.length, filled?.error]).toEqual([4 * 1024 * 1024, null])

      const calling = yield* documentOf({ ...call, apiBodyTemplate: content })
      yield* onHook(
        hookName,
        { operation: "SendDocument", parameters: { documentID } },
        { operation: "CallApi", parameters: { documentID: calling } }
      )
      yield* fire(hookName, messageID)
      const failed = { status: "Failed", error: expect.stringMatching(tooLong) }
      expect(yield* resultsOf(messageID, hookName, 2)).toMatchObject([failed, failed])
    })
  )
})
