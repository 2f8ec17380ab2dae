import type { Section } from "../Fence.ts"
import { overlap, sentencesOf, termsOf } from "./Words.ts"

const longest = 600

const shortened = (text: string) => (text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`)

/** The sentences that share the most terms with the question, in the order of the text. */
const bestSentences = (text: string, question: ReadonlySet<string>, most: number) => {
  const sentences = sentencesOf(text).map((sentence, index) => ({
    sentence,
    index,
    score: overlap(termsOf(sentence), question)
  }))
  return [...sentences]
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
    .sort((a, b) => a.index - b.index)
    .map(({ sentence }) => sentence)
    .join(" ")
}

const nothingFound = "Thank you for your message. A colleague will look into it and get back to you."

/** An answer quoted from the document that has the most in common with the message; ties go to the first. */
export const draftFrom = (sections: ReadonlyArray<Section>): string => {
  const question = termsOf(
    sections
      .filter(({ name }) => name === "message" || name === "subject" || name === "topics")
      .map(({ text }) => text)
      .join("\n")
  )
  const documents = sections
    .filter(({ name }) => name === "document")
    .map(({ text }) => {
      const [title = "", ...content] = text.split("\n")
      return {
        content: content.join("\n").trim(),
        score: overlap(termsOf(text), question) + overlap(termsOf(title), question)
      }
    })
    .filter(({ content }) => content !== "")
  const [first, ...others] = documents
  if (first === undefined) return nothingFound
  const best = others.reduce((a, b) => (b.score > a.score ? b : a), first)
  return shortened(bestSentences(best.content, question, 3))
}

const speakers: Readonly<Record<string, string>> = { "from-the-end-user": "End user", "from-the-team": "Team" }

/** Not a greeting but the sentence that shares the most with the whole text; ties go to the first. */
const tellingSentence = (text: string) => bestSentences(text, termsOf(text), 1)

/** How the conversation began, how long it is, and how it ended. */
export const summaryOf = (sections: ReadonlyArray<Section>): string => {
  const subject = sections.find(({ name }) => name === "subject")
  const messages = sections.filter(({ name }) => name in speakers)
  const said = ({ name, text }: Section) => `${speakers[name]}: ${shortened(tellingSentence(text))}`
  const [first] = messages
  const last = messages.at(-1)
  return [
    ...(subject === undefined ? [] : [`Subject: ${subject.text}.`]),
    ...(first === undefined ? [] : [said(first)]),
    ...(messages.length > 2 ? [`(${messages.length - 2} more)`] : []),
    ...(last === undefined || last === first ? [] : [said(last)])
  ].join(" ")
}
