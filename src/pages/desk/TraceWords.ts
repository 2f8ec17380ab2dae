import type { TraceEntry } from "../../../schema/Automation.ts"

/** OnTicketCreated becomes On ticket created. */
const spaced = (name: string) => {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const questions: Readonly<Record<string, string>> = {
  Spam: "AI: is it spam?",
  Language: "AI: which language is it?",
  Topics: "AI: what is it about?",
  Draft: "AI: draft an answer",
  Summary: "AI: sum it up"
}

export const wordsOf = ({ type, what }: TraceEntry) => {
  if (type === "AiRun") return questions[what] ?? `AI: ${spaced(what).toLowerCase()}`
  return /^[A-Z][A-Za-z]+$/.test(what) ? spaced(what) : what
}

/** Steps that had nothing to do are part of the story, but a minor one. */
export const isMinor = ({ outcome, type, what }: TraceEntry) =>
  type === "Event" ||
  (type === "Step" && /^(?:On|Pre)[A-Z]/.test(what) && /^(?:done|started|not for this message|)$/i.test(outcome ?? ""))
