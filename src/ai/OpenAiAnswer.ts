import { Either, Option, Schema } from "effect"
import type { Completion } from "./Completions.ts"

const Tokens = Schema.NullishOr(Schema.NonNegativeInt)

const Part = Schema.Struct({ text: Schema.optional(Schema.NullOr(Schema.String)) })

/** Text as one string, or in parts; parts that are no text are passed over. */
const Content = Schema.Union(Schema.String, Schema.Array(Part))

const textOf = (content: typeof Content.Type) =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join("")

const Chat = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      message: Schema.Struct({
        content: Schema.NullOr(Content),
        refusal: Schema.optional(Schema.NullOr(Schema.String))
      }),
      finish_reason: Schema.optional(Schema.NullOr(Schema.String))
    })
  ),
  usage: Schema.optional(
    Schema.NullOr(Schema.Struct({ prompt_tokens: Schema.optional(Tokens), completion_tokens: Schema.optional(Tokens) }))
  )
})

const Response = Schema.Struct({
  output: Schema.Array(Schema.Struct({ content: Schema.optional(Schema.NullOr(Content)) })),
  usage: Schema.optional(
    Schema.NullOr(Schema.Struct({ input_tokens: Schema.optional(Tokens), output_tokens: Schema.optional(Tokens) }))
  )
})

const fromChat = ({ choices: [choice], usage }: typeof Chat.Type): Either.Either<Completion, string> => {
  if (choice.message.content === null) {
    return Either.left(choice.message.refusal ? "The model refused to answer." : "The model answered nothing.")
  }
  if (choice.finish_reason === "length") return Either.left("The model's answer was cut off.")
  return Either.right({
    text: textOf(choice.message.content),
    inputTokens: usage?.prompt_tokens ?? null,
    outputTokens: usage?.completion_tokens ?? null
  })
}

const fromResponse = ({ output, usage }: typeof Response.Type): Completion => ({
  text: output.map(({ content }) => textOf(content ?? "")).join(""),
  inputTokens: usage?.input_tokens ?? null,
  outputTokens: usage?.output_tokens ?? null
})

const asChat = Schema.decodeUnknownOption(Chat)

const asResponse = Schema.decodeUnknownOption(Response)

const notUnderstood = Either.left("The provider's answer has a shape that is not understood.")

/** Reads an answer in either of the two shapes that compatible servers speak; what it is not is a sentence. */
export const readOpenAiAnswer = (body: unknown): Either.Either<Completion, string> =>
  Option.map(asChat(body), fromChat).pipe(
    Option.orElse(() => Option.map(asResponse(body), (response) => Either.right(fromResponse(response)))),
    Option.getOrElse(() => notUnderstood)
  )
