import { Effect } from "effect"
import type { Complete, Question } from "../Completions.ts"
import { type Section, sectionsOf } from "../Fence.ts"
import { draftFrom, summaryOf } from "./Extracts.ts"
import { guessLanguage } from "./LanguageGuess.ts"
import { languageOfPlace } from "./PlaceLanguage.ts"
import { notesToHtml } from "./RoomNotes.ts"
import { spamSigns } from "./SpamSigns.ts"
import { matchTopics } from "./TopicMatch.ts"

/** Every text starts with it, so that nobody takes it for the work of a model. */
const label = "[sandbox]"

const labelled = (text: string) => `${label} ${text}`

const textOf = (sections: ReadonlyArray<Section>, ...names: ReadonlyArray<string>) =>
  sections
    .filter(({ name }) => names.includes(name))
    .map(({ text }) => text)
    .join("\n")

const translated = ({ key, text }: Section) => labelled(`(${key.split(" ").at(-1)}) ${text}`)

/** Notes are in a fence with one of these names; a prompt without such a fence consists entirely of notes. */
const notesIn = (question: Question, sections: ReadonlyArray<Section>) =>
  textOf(sections, "notes", "transcript", "room-notes") || question.user

const answerTo = (question: Question, sections: ReadonlyArray<Section>): string => {
  switch (question.purpose) {
    case "Topics":
      return JSON.stringify({ topicIDs: matchTopics(sections) })
    case "Spam":
      return JSON.stringify(spamSigns(textOf(sections, "subject", "message")))
    case "Language":
      return JSON.stringify({ language: guessLanguage(textOf(sections, "message")) })
    case "LanguageOfPlace": {
      const parts = sections.filter(({ name }) => name !== "country").map(({ text }) => text)
      return JSON.stringify({ language: languageOfPlace(textOf(sections, "country"), parts) })
    }
    case "TranslationHtml":
      return JSON.stringify({ texts: sections.map(translated) })
    case "Translation":
      return sections.map(translated).join("\n")
    case "Draft":
      return labelled(draftFrom(sections))
    case "Summary":
      return labelled(summaryOf(sections))
    case "Transform":
      return notesToHtml(label, notesIn(question, sections))
  }
}

const wordCount = (text: string) => text.match(/\S+/g)?.length ?? 0

/** Answers without a model: deterministic, offline and honest about it. It reads the prompt as a model would. */
export const sandbox: Complete = (question) =>
  Effect.sync(() => {
    const text = answerTo(question, sectionsOf(question))
    return { text, inputTokens: wordCount(question.system) + wordCount(question.user), outputTokens: wordCount(text) }
  })
