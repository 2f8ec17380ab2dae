import { Option } from "effect"
import type { CustomerID } from "../../schema/Ids.ts"
import { AiRunsRepo } from "../ai/AiRunsRepo.ts"
import { callWith } from "../ai/prompts/Prompt.ts"
import { translationPrompt } from "../ai/prompts/Translation.ts"
import { sandbox } from "../ai/sandbox/Sandbox.ts"
import { ModelsRepo } from "../customers/ModelsRepo.ts"
import { fn } from "../platform/telemetry/Fn.ts"

const greeting = { text: "Good morning! How can we help you?", targetLang: "de" }

/** A first AI run, made by the sandbox, that can be repeated with another model. */
export const makeAiRuns = fn("Demo.makeAiRuns")(function* (customerID: CustomerID) {
  const runs = yield* AiRunsRepo
  const call = yield* callWith(translationPrompt, greeting, { customerID, slot: "EmailText" })
  const [model] = (yield* (yield* ModelsRepo).listUsable(customerID)).filter(({ slots }) => slots.includes(call.slot))
  const modelName = model?.name ?? null
  const answer = yield* sandbox({ ...call, model: modelName ?? "", images: [], answerSchema: Option.none() })
  yield* runs.insert(customerID, {
    ticketMessageID: null,
    roomID: null,
    purpose: call.purpose,
    slot: call.slot,
    modelID: model?.modelID ?? null,
    modelName,
    promptVersion: call.promptVersion,
    system: call.system,
    user: call.user,
    input: call.input,
    answerSchema: null,
    imageCount: 0,
    documents: [],
    inputTokens: answer.inputTokens,
    outputTokens: answer.outputTokens,
    durationMs: 0,
    outcome: "Succeeded",
    error: null,
    output: answer.text,
    replayOf: null,
    quotes: []
  })
})
