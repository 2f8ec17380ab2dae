import type { Section } from "../Fence.ts"
import { overlap, plain, termsOf } from "./Words.ts"

const textsOf = (sections: ReadonlyArray<Section>, name: string) =>
  sections.filter((section) => section.name === name).map(({ text }) => text)

/** How much a shared word counts: the fewer topics have it, the more. */
const weightOf = (topics: ReadonlyArray<ReadonlySet<string>>) => (term: string) =>
  Math.log(1 + topics.length / Math.max(1, topics.filter((terms) => terms.has(term)).length))

const nameCounts = 2
const hintCounts = 0.6
const exampleCounts = 4
const sameEnough = 0.5
const least = 0.7
const shareOfBest = 0.6
const most = 3

/** An example as the prompt shows it: the message, then a last line with the topics that people gave it. */
const exampleOf = (text: string) => {
  const end = text.lastIndexOf("\nTopics: ")
  const topics = text.slice(end + "\nTopics: ".length).split("; ")
  return { terms: termsOf(text.slice(0, end)), topics: topics.map(plain) }
}

const similarity = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  overlap(one, other) / Math.max(1, new Set([...one, ...other]).size)

/** The topics whose names and descriptions share the most telling words with the message, best first. */
export const matchTopics = (sections: ReadonlyArray<Section>): ReadonlyArray<number> => {
  const message = termsOf([...textsOf(sections, "subject"), ...textsOf(sections, "message")].join("\n"))
  const topics = sections
    .filter(({ name }) => name === "topic")
    .map(({ key, text }) => {
      const [name = ""] = text.split("\n")
      return { key, name: plain(name), named: termsOf(name), terms: termsOf(text) }
    })
  const weight = weightOf(topics.map(({ terms }) => terms))
  const hinted = new Set(sections.filter(({ name }) => name === "page-hint").map(({ key }) => key))
  const examples = textsOf(sections, "example")
    .map(exampleOf)
    .filter(({ terms }) => similarity(terms, message) >= sameEnough)
  const scored = topics.map(({ key, name, named, terms }) => {
    const shared = [...terms].filter((term) => message.has(term))
    const words = shared.reduce((sum, term) => sum + weight(term) * (named.has(term) ? nameCounts : 1), 0)
    const taught = examples.some(({ topics: taughtTopics }) => taughtTopics.includes(name)) ? exampleCounts : 0
    return { key, score: words + taught + (hinted.has(key) ? hintCounts : 0) }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  return scored
    .filter(({ score }) => score >= least && score >= best * shareOfBest)
    .sort((a, b) => b.score - a.score || Number(a.key) - Number(b.key))
    .slice(0, most)
    .map(({ key }) => Number(key))
}
