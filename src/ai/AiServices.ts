import { Layer } from "effect"
import { AiLedger } from "./AiLedger.ts"
import { AiProvider } from "./AiProvider.ts"
import { AiRuns } from "./AiRuns.ts"
import { Detection } from "./Detection.ts"
import { Drafts } from "./Drafts.ts"
import { LanguageOf } from "./LanguageOf.ts"
import { ModelCalls } from "./ModelCalls.ts"
import { SpamCheck } from "./SpamCheck.ts"
import { Summaries } from "./Summaries.ts"

/** Everything that asks a model, with the ledger of the calls. */
export const AiServices = Layer.mergeAll(
  AiRuns.layer,
  Detection.layer,
  Drafts.layer,
  LanguageOf.layer,
  SpamCheck.layer,
  Summaries.layer
).pipe(Layer.provideMerge(AiProvider.layer), Layer.provideMerge(ModelCalls.layer), Layer.provide(AiLedger.layer))
