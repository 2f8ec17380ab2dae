import type { TraceEntry } from "../../../schema/Automation.ts"
import { languageName } from "./Format.ts"

/** OnTicketCreated becomes On ticket created. */
export const spaced = (name: string) => {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const questions: Readonly<Record<string, string>> = {
  Spam: "AI: spam check",
  Language: "AI: language detection",
  Topics: "AI: topic detection",
  Draft: "AI: draft reply",
  Summary: "AI: summary"
}

/** Steps that were not for this message did nothing: they are no news to anybody. */
export const isShown = ({ outcome, type }: TraceEntry) =>
  !(type === "Step" && outcome?.toLowerCase() === "not for this message")

/** What came out, unless it only says that all went well. */
export const outcomeOf = ({ outcome, type, what }: TraceEntry) => {
  if (outcome === null || (type === "AiRun" && outcome === "Succeeded")) return ""
  if (type === "Message") return `Status: ${outcome}`
  return type === "Step" && what === "Language" && /^[a-z]{2,3}$/.test(outcome) ? languageName(outcome) : outcome
}

export const wordsOf = ({ type, what }: TraceEntry) => {
  if (type === "AiRun") return questions[what] ?? `AI: ${spaced(what).toLowerCase()}`
  if (what === "PreSpam") return "Before spam check"
  return /^[A-Z][A-Za-z]+$/.test(what) ? spaced(what) : what
}

/** Steps that had nothing to do are part of the story, but a minor one. */
export const isMinor = ({ outcome, type, what }: TraceEntry) =>
  type === "Event" || (type === "Step" && /^(?:On|Pre)[A-Z]/.test(what) && /^(?:done|started|)$/i.test(outcome ?? ""))
