import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { shapedBy } from "../../src/ai/AnswerText.ts"

const read = shapedBy(Schema.Struct({ isSpam: Schema.Boolean, reasons: Schema.Array(Schema.String) }))

describe("A model's answer in JSON", () => {
  it("is read when it is bare, in a code fence, or among words", () => {
    const json = '{"isSpam":true,"reasons":["a scam"]}'
    for (const text of [json, `\`\`\`json\n${json}\n\`\`\``, `Here it is: ${json} Anything else?`]) {
      expect(read(text)).toEqual(Either.right({ isSpam: true, reasons: ["a scam"] }))
    }
  })

  it("loses NUL characters and lone surrogates, which no database can store", () => {
    expect(read('{"isSpam":true,"reasons":["scam \\u0000 x","\\ud83d cut"]}')).toEqual(
      Either.right({ isSpam: true, reasons: ["scam  x", "\ufffd cut"] })
    )
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (reasons) => {
        const answer = Either.getOrThrow(read(JSON.stringify({ isSpam: false, reasons })))
        expect(answer.reasons).toEqual(reasons.map((reason) => reason.replaceAll("\u0000", "").toWellFormed()))
      })
    )
  })
})
