import { aiCalls, aiDuration, aiTokens } from "./ServiceMetrics.ts"

/** Records what a call to a model cost, and how it ended. */
export const countAiCall = (
  purpose: string,
  durationMs: number,
  answer: { readonly outcome: string; readonly inputTokens: number | null; readonly outputTokens: number | null }
) => {
  aiCalls.add({ purpose, outcome: answer.outcome.toLowerCase() })
  aiDuration.observe({ purpose }, durationMs / 1000)
  aiTokens.add({ purpose, direction: "input" }, answer.inputTokens ?? 0)
  aiTokens.add({ purpose, direction: "output" }, answer.outputTokens ?? 0)
}
