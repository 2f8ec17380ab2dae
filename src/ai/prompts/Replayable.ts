import { Effect, type ParseResult, Schema } from "effect"
import type { AiPurpose } from "../../../schema/AiRuns.ts"
import type { Fence } from "../Fence.ts"
import { draftPrompt } from "./Draft.ts"
import { languagePrompt } from "./Language.ts"
import { languageOfPlacePrompt } from "./LanguageOfPlace.ts"
import type { Prompt, RenderedPrompt } from "./Prompt.ts"
import { spamPrompt } from "./Spam.ts"
import { summaryPrompt } from "./Summary.ts"
import { topicsPrompt, topicsWithoutHints } from "./Topics.ts"
import { transformPrompt } from "./Transform.ts"
import { translationPrompt } from "./Translation.ts"
import { translationHtmlPrompt } from "./TranslationHtml.ts"

/** A prompt version that can be rendered from the input kept in the ledger. */
interface ReplayablePrompt {
  readonly purpose: AiPurpose
  readonly version: string
  readonly renderKept: (input: unknown, fence: Fence) => Effect.Effect<RenderedPrompt, ParseResult.ParseError>
}

const replayable = <Input, Encoded>(prompt: Prompt<Input, Encoded>): ReplayablePrompt => {
  const decode = Schema.decodeUnknown(prompt.input)
  return {
    purpose: prompt.purpose,
    version: prompt.version,
    renderKept: (input, fence) => Effect.map(decode(input), (decoded) => prompt.render(decoded, fence))
  }
}

const prompts: ReadonlyArray<ReplayablePrompt> = [
  replayable(topicsPrompt),
  replayable(topicsWithoutHints),
  replayable(draftPrompt),
  replayable(spamPrompt),
  replayable(languagePrompt),
  replayable(languageOfPlacePrompt),
  replayable(summaryPrompt),
  replayable(translationPrompt),
  replayable(translationHtmlPrompt),
  replayable(transformPrompt)
]

/** The versions of a purpose's prompt, the current one first. */
export const promptsFor = (purpose: AiPurpose) => prompts.filter((prompt) => prompt.purpose === purpose)
