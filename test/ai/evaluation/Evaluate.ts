import { Effect, Option } from "effect"
import type { CustomerID, TicketMessageID } from "../../../schema/Ids.ts"
import { Detection } from "../../../src/ai/Detection.ts"
import { LanguageOf } from "../../../src/ai/LanguageOf.ts"
import { SpamCheck } from "../../../src/ai/SpamCheck.ts"
import { type LabelledMessage, labelledMessages } from "./Messages.ts"
import { evaluationTopics } from "./Topics.ts"

export interface Score {
  readonly purpose: "topics" | "spam" | "language"
  readonly right: number
  readonly asked: number
  readonly accuracy: number
  /** The wrong verdicts: what was wanted, what came and the message. */
  readonly wrong: ReadonlyArray<string>
}

interface Verdict {
  readonly message: LabelledMessage
  readonly wanted: string
  readonly got: string
}

const scoreOf = (purpose: Score["purpose"], verdicts: ReadonlyArray<Verdict>): Score => {
  const wrong = verdicts.filter(({ got, wanted }) => got !== wanted)
  const right = verdicts.length - wrong.length
  return {
    purpose,
    right,
    asked: verdicts.length,
    accuracy: right / verdicts.length,
    wrong: wrong.map(({ got, message, wanted }) => `${wanted} but got ${got}: ${message.text}`)
  }
}

const nameOf = (topicID: number | undefined) =>
  evaluationTopics.find((topic) => topic.topicID === topicID)?.name ?? "none"

/** Runs every labelled message through the AI services as one customer, and counts the right verdicts. */
export const evaluate = (customerID: CustomerID, ticketMessageID: TicketMessageID, concurrency = 4) =>
  Effect.gen(function* () {
    const [detection, spam, language] = [yield* Detection, yield* SpamCheck, yield* LanguageOf]
    const about = { customerID, ticketMessageID }
    const askAll = (
      messages: ReadonlyArray<LabelledMessage>,
      ask: (message: LabelledMessage) => Effect.Effect<Omit<Verdict, "message">, { readonly message: string }>
    ) =>
      Effect.forEach(messages, (message) => Effect.map(ask(message), (verdict) => ({ message, ...verdict })), {
        concurrency
      })

    const topics = yield* askAll(
      labelledMessages.filter(({ isSpam }) => !isSpam),
      ({ text, topic }) =>
        Effect.map(
          detection.topics({
            ...about,
            text,
            subject: null,
            pageUrl: null,
            topics: evaluationTopics,
            pageHints: [],
            corrections: [],
            quotes: []
          }),
          ([best]) => ({ wanted: String(topic), got: nameOf(best) })
        )
    )
    const spams = yield* askAll(labelledMessages, ({ isSpam, text }) =>
      Effect.map(spam.check({ ...about, fromAddress: null, subject: null, text }), (verdict) => ({
        wanted: isSpam ? "spam" : "no spam",
        got: verdict.isSpam ? "spam" : "no spam"
      }))
    )
    const languages = yield* askAll(labelledMessages, ({ language: wanted, text }) =>
      Effect.map(language.message({ ...about, text }), (got) => ({ wanted, got: Option.getOrElse(got, () => "none") }))
    )
    return [scoreOf("topics", topics), scoreOf("spam", spams), scoreOf("language", languages)]
  })
