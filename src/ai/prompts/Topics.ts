import { Schema } from "effect"
import { TopicID } from "../../../schema/Ids.ts"
import { clip } from "../Clip.ts"
import type { Fence } from "../Fence.ts"
import type { Prompt } from "./Prompt.ts"

const Topic = Schema.Struct({ topicID: TopicID, name: Schema.String, description: Schema.NullOr(Schema.String) })

/** A topic of the page from which a message was sent. */
const PageHint = Schema.Struct({ topicID: TopicID, context: Schema.NullOr(Schema.String) })

/** A message whose topics a person corrected. */
const Correction = Schema.Struct({ text: Schema.String, topics: Schema.Array(Schema.String) })

export const TopicsInput = Schema.Struct({
  subject: Schema.NullOr(Schema.String),
  text: Schema.String,
  pageUrl: Schema.NullOr(Schema.String),
  topics: Schema.Array(Topic),
  pageHints: Schema.Array(PageHint),
  corrections: Schema.Array(Correction)
})
export type TopicsInput = typeof TopicsInput.Type

const longestMessage = 20_000
const longestSubject = 500
const longestTopic = 2_000
const longestHint = 1_000
const longestExample = 600
const mostExamples = 20
const longestUrl = 2048

// A topic's name and description are also cut together: combined they are no longer than either may be alone.
const shortened = ({ corrections, pageHints, pageUrl, subject, text, topics }: TopicsInput): TopicsInput => ({
  subject: subject === null ? null : clip(subject, longestSubject),
  text: clip(text, longestMessage),
  pageUrl: pageUrl === null ? null : clip(pageUrl, longestUrl),
  topics: topics.map(({ description, name, topicID }) => ({
    topicID,
    name: clip(name, longestTopic),
    description: description === null ? null : clip(description, longestTopic)
  })),
  pageHints: pageHints.map(({ context, topicID }) => ({
    topicID,
    context: context === null ? null : clip(context, longestHint)
  })),
  corrections: corrections.slice(0, mostExamples).map((example) => ({
    text: clip(example.text, longestExample),
    topics: example.topics.map((topic) => clip(topic, longestExample))
  }))
})

const task = (fence: Fence) =>
  `You sort messages to a customer-support team by topic. Answer the ids of the topics that the message is about, the most fitting one first; of topics that fit equally, the more specific one first. Answer no topic when none fits. Answer only ids of topics listed below.

${fence.rule}`

const topicSections = ({ topics }: TopicsInput, fence: Fence) =>
  topics.map(({ description, name, topicID }) =>
    fence.put("topic", clip(description === null ? name : `${name}\n${description}`, longestTopic), topicID)
  )

const messageSections = ({ subject, text }: TopicsInput, fence: Fence) => [
  ...(subject === null ? [] : [fence.put("subject", subject)]),
  fence.put("message", text)
]

/** Without hints and examples, so that a replay can show what difference they make. */
export const topicsWithoutHints: Prompt<TopicsInput, typeof TopicsInput.Encoded> = {
  purpose: "Topics",
  version: "topics-1",
  input: TopicsInput,
  shortened,
  render: (whole, fence) => {
    const input = shortened(whole)
    const sections = ["The topics:", ...topicSections(input, fence), "The message:", ...messageSections(input, fence)]
    return { system: task(fence), user: sections.join("\n\n") }
  }
}

export const topicsPrompt: Prompt<TopicsInput, typeof TopicsInput.Encoded> = {
  purpose: "Topics",
  version: "topics-2",
  input: TopicsInput,
  shortened,
  render: (whole, fence) => {
    const input = shortened(whole)
    const examples = input.corrections.map(({ text, topics }) =>
      fence.put("example", `${text}\nTopics: ${clip(topics.join("; "), longestExample) || "none"}`)
    )
    const hints = input.pageHints.map(({ context, topicID }) => fence.put("page-hint", context ?? "", topicID))
    return {
      system: `${task(fence)}

The page from which the message was sent may be about some topics: these are hints, and the message itself decides. Messages that people have sorted before are examples of how this organisation understands its topics.`,
      user: [
        "The topics:",
        ...topicSections(input, fence),
        ...(examples.length === 0 ? [] : ["Messages that people have sorted:", ...examples]),
        ...(input.pageUrl === null ? [] : ["The page:", fence.put("page", input.pageUrl)]),
        ...(hints.length === 0 ? [] : ["The topics that this page is about:", ...hints]),
        "The message:",
        ...messageSections(input, fence)
      ].join("\n\n")
    }
  }
}
