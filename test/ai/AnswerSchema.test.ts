import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { LanguageCode } from "../../schema/LanguageCode.ts"
import { answerSchema } from "../../src/ai/AnswerSchema.ts"
import { plainText, shapedBy } from "../../src/ai/AnswerText.ts"

const Answer = Schema.Struct({
  language: LanguageCode,
  texts: Schema.Array(Schema.String).pipe(Schema.itemsCount(2)),
  kind: Schema.Literal("a", "b")
})

describe("A structured answer", () => {
  it("is requested with only the schema keywords that every server understands", () => {
    expect(answerSchema(Answer)).toEqual({
      type: "object",
      required: ["language", "texts", "kind"],
      properties: {
        language: { type: "string" },
        texts: { type: "array", items: { type: "string" }, description: "an array of exactly 2 item(s)" },
        kind: { type: "string", enum: ["a", "b"] }
      },
      additionalProperties: false
    })
  })

  const read = shapedBy(Answer)
  const good = { language: "de", texts: ["x", "y"], kind: "a" }

  it("is read from JSON, bare, fenced or among words", () => {
    const json = JSON.stringify(good)
    for (const text of [json, ` ${json}\n`, `\`\`\`json\n${json}\n\`\`\``, `\`\`\`\n${json}\`\`\``, `Sure: ${json}.`]) {
      expect(read(text)).toEqual(Either.right(good))
    }
  })

  it("is refused with the reason", () => {
    for (const [text, problem] of [
      ["", "not valid JSON"],
      ['{"language":"de"', "not valid JSON"],
      ["[]", "wrong shape"],
      [JSON.stringify({ ...good, language: "xx" }), "language must be a known"],
      [JSON.stringify({ ...good, texts: ["x"] }), "texts"],
      [JSON.stringify({ ...good, kind: "c" }), "kind"]
    ] as const) {
      expect([text, Either.getOrNull(Either.flip(read(text)))]).toEqual([text, expect.stringContaining(problem)])
    }
  })

  it("must not be empty when it is plain text", () => {
    expect(plainText(" Hello \n")).toEqual(Either.right("Hello"))
    expect(plainText(" \n")).toEqual(Either.left("The answer is empty."))
  })
})
