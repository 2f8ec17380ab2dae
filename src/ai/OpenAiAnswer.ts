import { Either, Option, Predicate, Schema } from "effect"
import { type Completion, CompletionFailed } from "./Completions.ts"

const Word = Schema.optional(Schema.NullOr(Schema.String))

const Part = Schema.Struct({ text: Word, refusal: Word })

/** Text as one string or in parts; parts that are not text are skipped. */
const Content = Schema.Union(Schema.String, Schema.Array(Part))

const textOf = (content: typeof Content.Type) =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join("")

const refusalIn = (content: typeof Content.Type) =>
  typeof content === "string" ? "" : content.map((part) => part.refusal ?? "").join("")

const Chat = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      message: Schema.Struct({ content: Schema.NullOr(Content), refusal: Word }),
      finish_reason: Word
    })
  ),
  usage: Schema.optional(Schema.Unknown)
})

const Response = Schema.Struct({
  output: Schema.Array(Schema.Struct({ content: Schema.optional(Schema.NullOr(Content)) })),
  incomplete_details: Schema.optional(Schema.NullOr(Schema.Struct({ reason: Word }))),
  usage: Schema.optional(Schema.Unknown)
})

const mostTokens = 2 ** 31 - 1

/** An impossible token count is treated as missing: the answer is still good. */
const tokensIn = (usage: unknown, name: string) => {
  const count = Predicate.hasProperty(usage, name) ? usage[name] : null
  return typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= mostTokens ? count : null
}

/** What there is of an answer, and what kept the model from completing it. */
interface Said {
  readonly completion: Completion
  readonly refusal: string
  readonly isSilent: boolean
  readonly endedBy: string | null | undefined
}

const fromChat = ({ choices: [choice], usage }: typeof Chat.Type): Said => ({
  completion: {
    text: textOf(choice.message.content ?? ""),
    inputTokens: tokensIn(usage, "prompt_tokens"),
    outputTokens: tokensIn(usage, "completion_tokens")
  },
  refusal: choice.message.refusal ?? refusalIn(choice.message.content ?? ""),
  isSilent: choice.message.content === null,
  endedBy: choice.finish_reason
})

const fromResponse = ({ incomplete_details, output, usage }: typeof Response.Type): Said => ({
  completion: {
    text: output.map(({ content }) => textOf(content ?? "")).join(""),
    inputTokens: tokensIn(usage, "input_tokens"),
    outputTokens: tokensIn(usage, "output_tokens")
  },
  refusal: output.map(({ content }) => refusalIn(content ?? "")).join(""),
  isSilent: false,
  endedBy: incomplete_details?.reason
})

const problems = new Map([
  ["length", "The model's answer was cut off."],
  ["max_output_tokens", "The model's answer was cut off."],
  ["content_filter", "The AI provider's filter stopped the answer."]
])

/** A partial answer would be sent as if it were complete, so an unfinished one counts as none. */
const whole = ({ completion, endedBy, isSilent, refusal }: Said): Either.Either<Completion, CompletionFailed> => {
  if (refusal !== "") {
    const text = completion.text === "" ? refusal : completion.text
    return Either.left(
      new CompletionFailed({
        message: "The model refused to answer.",
        completion: { ...completion, text },
        isFinal: true
      })
    )
  }
  const problem = problems.get(endedBy ?? "") ?? (isSilent ? "The model returned an empty answer." : undefined)
  return problem === undefined
    ? Either.right(completion)
    : Either.left(new CompletionFailed({ message: problem, completion, isFinal: true }))
}

const asChat = Schema.decodeUnknownOption(Chat)

const asResponse = Schema.decodeUnknownOption(Response)

// It may come from something between us and the model, such as a maintenance page.
const notUnderstood = new CompletionFailed({ message: "The AI provider's response has an unknown format." })

/** Reads a response in either of the two shapes that compatible servers use; a failure says why there is no answer. */
export const readOpenAiAnswer = (body: unknown): Either.Either<Completion, CompletionFailed> =>
  Option.map(asChat(body), fromChat).pipe(
    Option.orElse(() => Option.map(asResponse(body), fromResponse)),
    Option.match({ onNone: () => Either.left(notUnderstood), onSome: whole })
  )
