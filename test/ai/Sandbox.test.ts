import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Option } from "effect"
import { AiPurpose } from "../../schema/AiRuns.ts"
import { fenceWith } from "../../src/ai/Fence.ts"
import { draftFrom, summaryOf } from "../../src/ai/sandbox/Extracts.ts"
import { guessLanguage } from "../../src/ai/sandbox/LanguageGuess.ts"
import { notesToHtml } from "../../src/ai/sandbox/RoomNotes.ts"
import { sandbox } from "../../src/ai/sandbox/Sandbox.ts"
import { spamSigns } from "../../src/ai/sandbox/SpamSigns.ts"

const mark = "0123456789abcdef01234567"

const ask = (purpose: AiPurpose, pieces: ReadonlyArray<readonly [string, string, string?]>, user?: string) => {
  const fence = fenceWith(mark)
  const question = {
    purpose,
    model: "m",
    system: user === undefined ? fence.rule : "no fences",
    user: user ?? pieces.map(([name, text, key]) => fence.put(name, text, key)).join("\n\n"),
    images: [],
    answerSchema: Option.none()
  }
  return Effect.runSync(sandbox(question)).text
}

describe("The sandbox", () => {
  it("recognises twenty-five languages by their script and small words", () => {
    const samples: Readonly<Record<string, string>> = {
      en: "When is the office open and what do I need to bring?",
      de: "Wann ist das Büro geöffnet und was muss ich mitbringen?",
      fr: "Quand est-ce que le bureau est ouvert et que dois-je apporter ?",
      es: "¿Cuándo está abierta la oficina y qué tengo que llevar?",
      it: "Quando è aperto l'ufficio e che cosa devo portare con me?",
      nl: "Wanneer is het kantoor open en wat moet ik meenemen?",
      pt: "Quando é que o escritório está aberto e o que preciso de levar? Não sei.",
      pl: "Kiedy biuro jest otwarte i co muszę ze sobą zabrać?",
      sv: "När är kontoret öppet och vad behöver jag ta med mig?",
      da: "Hvornår er kontoret åbent, og hvad skal jeg tage med?",
      nb: "Når er kontoret åpent, og hva må jeg ta med? Hei, takk!",
      fi: "Milloin toimisto on auki ja mitä minun täytyy ottaa mukaan?",
      cs: "Kdy je kancelář otevřená a co si mám vzít s sebou?",
      tr: "Ofis ne zaman açık ve yanımda ne getirmem gerekiyor?",
      ro: "Când este deschis biroul și ce trebuie să aduc cu mine?",
      hu: "Mikor van nyitva az iroda, és mit kell magammal hoznom?",
      ru: "Когда открыт офис и что мне нужно взять с собой?",
      uk: "Коли відкритий офіс і що мені потрібно взяти з собою?",
      el: "Πότε είναι ανοιχτό το γραφείο;",
      ar: "متى يكون المكتب مفتوحا وماذا أحتاج؟",
      he: "מתי המשרד פתוח ומה אני צריך להביא?",
      hi: "कार्यालय कब खुला है?",
      ja: "オフィスはいつ開いていますか？",
      ko: "사무실은 언제 열려 있습니까?",
      zh: "办公室什么时候开门？"
    }
    const guessed = Object.fromEntries(Object.entries(samples).map(([code, text]) => [code, guessLanguage(text)]))
    expect(guessed).toEqual(Object.fromEntries(Object.keys(samples).map((code) => [code, code])))
  })

  it("takes a text without clues for English", () => {
    for (const text of ["", "123", "OK", "!!!"]) expect(guessLanguage(text)).toBe("en")
  })

  it("drafts from the document that has the most in common with the message, or a plain thank-you", () => {
    const documents = [
      ["document", "Opening hours\nWe are open from 9 to 5. Closed on Sundays."],
      ["document", "Keys\nA lost key must be reported at once. A new key costs 45 EUR."]
    ] as const
    expect(ask("Draft", [...documents, ["message", "I lost my key, what does a new one cost?"]])).toBe(
      "[sandbox] A lost key must be reported at once. A new key costs 45 EUR."
    )
    expect(ask("Draft", [...documents, ["message", "Are you open on Sunday? I mean your hours."]])).toContain("9 to 5")
    expect(ask("Draft", [["message", "Hello"]])).toMatch(/^\[sandbox\] Thank you/)
    expect(draftFrom([{ name: "document", key: "", text: "Only a title" }])).toMatch(/^Thank you/)
  })

  it("quotes the beginning and the end of a conversation as its summary", () => {
    const from = (name: string, text: string) => ({ name, key: "", text })
    expect(
      summaryOf([
        from("subject", "Keys"),
        from("from-the-end-user", "I lost my key. Help!"),
        from("from-the-team", "We look into it."),
        from("from-the-end-user", "I found it. Thanks.")
      ])
    ).toBe("Subject: Keys. End user: I lost my key. (1 more) End user: I found it.")
  })

  it("turns room notes into escaped HTML with doubtful passages marked", () => {
    expect(notesToHtml("[sandbox]", "Walls:\nwhite & clean\n- scratch <left>\n- stain?\n\nFloor is worn")).toBe(
      "<p>[sandbox]</p><h3>Walls</h3><p>white &amp; clean</p><ul><li>scratch &lt;left&gt;</li><li>[[stain?]]</li></ul><p>Floor is worn</p>"
    )
    expect(ask("Transform", [], "door ok")).toBe("<p>[sandbox]</p><p>door ok</p>")
    expect(
      ask("Transform", [
        ["lexicon", "worn: used"],
        ["notes", "door ok"]
      ])
    ).toBe("<p>[sandbox]</p><p>door ok</p>")
  })

  it("does not take an angry or a linked message for spam", () => {
    for (const text of [
      "This is the THIRD time I write!!! I want my money back NOW.",
      "See https://acme.example/order/1 for what I ordered.",
      "I read about bitcoin on your page, can I pay with it?"
    ]) {
      expect([text, spamSigns(text).isSpam]).toEqual([text, false])
    }
  })

  it("gives the same answer to the same question, and labels every text", () => {
    const texts: ReadonlyArray<AiPurpose> = ["Draft", "Summary", "Translation", "Transform"]
    const pieces = fc.array(
      fc.tuple(
        fc.constantFrom("topic", "message", "subject", "document", "text", "country", "city", "from-the-end-user"),
        fc.string({ unit: "binary" }),
        fc.constantFrom("1", "2", "3 de")
      ),
      { minLength: 1, maxLength: 8 }
    )
    fc.assert(
      fc.property(fc.constantFrom(...AiPurpose.literals), pieces, (purpose, given) => {
        const all = [...given, ["text", "x", "1 de"] as const]
        const answer = ask(purpose, all)
        expect(ask(purpose, all)).toBe(answer)
        if (texts.includes(purpose)) expect(answer.replace(/^<p>/, "").startsWith("[sandbox]")).toBe(true)
        else expect((): unknown => JSON.parse(answer)).not.toThrow()
      })
    )
  })
})
