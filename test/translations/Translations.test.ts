import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelID, CustomerID } from "../../schema/Ids.ts"
import { Tokens } from "../../src/auth/Tokens.ts"
import { problemPaths } from "../http/ErrorBody.ts"
import { clientOf, sendJson, testApp, tokenOf } from "../support/TestApp.ts"

const translatePath = "/api/Translations/translate"

const post = (path: string, body: unknown) =>
  Effect.flatMap(tokenOf("acme-agent"), (token) => sendJson("POST", path, { token, body }))

layer(testApp(), { excludeTestServices: true })("Translations by the sandbox", (it) => {
  it.effect("return a JSON string that is marked as the sandbox's", () =>
    Effect.gen(function* () {
      const answer = yield* post(translatePath, { sourceText: "Good morning,\nhow are you?", targetLang: "de" })
      expect([answer.status, answer.json]).toEqual([200, "[sandbox] (de) Good morning,\nhow are you?"])
      expect(answer.headers.get("content-type")).toContain("application/json")
    })
  )

  it.effect("accept ISO 639-1 and 639-3 codes in any case, and no others", () =>
    Effect.gen(function* () {
      for (const [targetLang, code] of [
        ["de", "de"],
        ["DE", "de"],
        ["deu", "de"],
        ["nds", "nds"],
        ["haw", "haw"],
        ["yue", "yue"]
      ]) {
        const { json } = yield* post(translatePath, { sourceText: "Hello", targetLang })
        expect([targetLang, json]).toEqual([targetLang, `[sandbox] (${code}) Hello`])
      }
      for (const targetLang of [
        "",
        "xx",
        "qqq",
        "und",
        "mul",
        "ger",
        "GRE",
        "iw",
        "german",
        "de-AT",
        "d",
        "1a",
        null,
        7
      ]) {
        const answer = yield* post(translatePath, { sourceText: "Hello", targetLang })
        expect([targetLang, answer.status, problemPaths(answer)]).toEqual([targetLang, 400, ["targetLang"]])
      }
    })
  )

  it.effect("refuse an empty text, one that is too long, and a body that is too large", () =>
    Effect.gen(function* () {
      for (const path of [translatePath, "/api/Translations/translate-to-html"]) {
        // Counted in characters, as the OpenAPI document says.
        expect((yield* post(path, { sourceText: "\u{1F511}".repeat(50_001), targetLang: "de" })).status).toBe(200)
        for (const sourceText of ["", "  \n ", null, "x".repeat(100_001), "a\u0000b"]) {
          const answer = yield* post(path, { sourceText, targetLang: "de" })
          expect([answer.status, problemPaths(answer)]).toEqual([400, ["sourceText"]])
        }
        expect((yield* post(path, {})).status).toBe(400)
        expect((yield* post(path, { sourceText: "x".repeat(1_200_000), targetLang: "de" })).status).toBe(413)
      }
      expect((yield* post(translatePath, { sourceText: "x".repeat(100_000), targetLang: "de" })).status).toBe(200)
    })
  )

  it.effect("keep the structure of HTML and leave out what could run", () =>
    Effect.gen(function* () {
      const sourceText = `<h2 onclick="steal()">Keys &amp; locks</h2>
<p>A <strong>lost</strong> key: <a href="javascript:alert(1)" title="t">call</a> or <a href="https://acme.example/k?a=1&amp;b=2">read</a>.</p>
<script>alert("x")</script><style>p{}</style><iframe src="https://evil.example"></iframe>
<ul><li>1 &lt; 2</li><li>42</li></ul><pre>code stays</pre><img src="cid:a" onerror="x()"><svg onload="x()"><text>t</text></svg>`
      const { json, status } = yield* post("/api/Translations/translate-to-html", { sourceText, targetLang: "fr" })
      expect(status).toBe(200)
      expect(json).toMatchInlineSnapshot(`
        "<h2>[sandbox] (fr) Keys &amp; locks</h2>
        <p>[sandbox] (fr) A <strong>[sandbox] (fr) lost</strong> [sandbox] (fr) key: <a title="t">[sandbox] (fr) call</a> [sandbox] (fr) or <a href="https://acme.example/k?a=1&amp;b=2">[sandbox] (fr) read</a>.</p>

        <ul><li>1 &lt; 2</li><li>42</li></ul><pre>code stays</pre><img src="cid:a" />"
      `)
    })
  )

  it.effect("cut a long text into pieces that a model can take, and keep what is between them", () =>
    Effect.gen(function* () {
      const paragraphs = Array.from({ length: 3 }, (_, index) => `Paragraph ${index} ${"word ".repeat(1000)}end.`)
      const sourceText = `  ${paragraphs.join("\n\n")}\n`
      const { json } = yield* post(translatePath, { sourceText, targetLang: "de" })
      expect(json).toBe(paragraphs.map((paragraph) => `[sandbox] (de) ${paragraph}`).join("\n\n"))
    })
  )

  it.effect("survive markup that is nested without end", () =>
    Effect.gen(function* () {
      const sourceText = `${"<b>".repeat(33_000)}x`
      const { json, status } = yield* post("/api/Translations/translate-to-html", { sourceText, targetLang: "de" })
      expect([status, json]).toEqual([200, expect.stringContaining("[sandbox] (de) x")])
    })
  )

  it.effect("make paragraphs of text without markup", () =>
    Effect.gen(function* () {
      const sourceText = "Dear tenant,\n\nrent < 500 EUR\nand water & heat"
      const { json } = yield* post("/api/Translations/translate-to-html", { sourceText, targetLang: "it" })
      expect(json).toBe(
        "<p>[sandbox] (it) Dear tenant,</p>\n<p>[sandbox] (it) rent &lt; 500 EUR<br />[sandbox] (it) and water &amp; heat</p>"
      )
    })
  )

  it.effect("refuse a page of too many texts, and ask no model for it", () =>
    Effect.gen(function* () {
      const { aiRuns } = yield* clientOf("acme-agent")
      const calls = Effect.map(aiRuns.listAiRuns({ urlParams: { pageSize: 1 } }), ({ totalCount }) => totalCount)
      const before = yield* calls
      const sourceText = "x\n".repeat(49_000)
      const answer = yield* post("/api/Translations/translate-to-html", { sourceText, targetLang: "it" })
      expect([answer.status, problemPaths(answer), answer.text]).toEqual([
        400,
        ["sourceText"],
        expect.stringContaining("at most 5000 separate texts")
      ])
      expect(yield* calls).toBe(before)
    })
  )

  it.effect("treat addresses, links and comparisons as text, even between markup", () =>
    Effect.gen(function* () {
      const html = (sourceText: string) =>
        Effect.map(post("/api/Translations/translate-to-html", { sourceText, targetLang: "it" }), ({ json }) =>
          String(json).replaceAll("[sandbox] (it) ", "")
        )
      expect(yield* html("Write to Support <support@example.com> today.\n\nThanks & bye")).toBe(
        "<p>Write to Support &lt;support@example.com&gt; today.</p>\n<p>Thanks &amp; bye</p>"
      )
      expect(yield* html("see <https://example.com/x?a=1> ok")).toBe("<p>see &lt;https://example.com/x?a=1&gt; ok</p>")
      expect(yield* html("if a <b and c> d, press <Enter>")).toBe("<p>if a &lt;b and c&gt; d, press &lt;Enter&gt;</p>")
      expect(yield* html("<p>Ann <ann@example.com>, see <https://example.com></p><o:p>!</o:p>")).toBe(
        "<p>Ann &lt;ann@example.com&gt;, see &lt;https://example.com&gt;</p>!"
      )
    })
  )

  it.effect("detect the language of a place", () =>
    Effect.gen(function* () {
      const { translations } = yield* clientOf("acme-agent")
      for (const [country, state, city, language] of [
        ["Germany", undefined, undefined, "de"],
        ["DE", undefined, "Hamburg", "de"],
        ["Switzerland", undefined, undefined, "de"],
        ["Switzerland", "Vaud", "Lausanne", "fr"],
        ["Schweiz", "Ticino", undefined, "it"],
        ["Canada", "Ontario", "Toronto", "en"],
        ["Canada", "Québec", undefined, "fr"],
        ["Brazil", "", "", "pt"],
        ["Japan", undefined, "Osaka", "ja"]
      ] as const) {
        const urlParams = { country, ...(state !== undefined && { state }), ...(city !== undefined && { city }) }
        expect([urlParams, yield* translations.detectLanguage({ urlParams })]).toEqual([urlParams, language])
      }
      const token = yield* tokenOf("acme-agent")
      for (const query of ["", "?state=Bavaria", "?country=", "?country=%20", `?country=${"x".repeat(201)}`]) {
        const answer = yield* sendJson("GET", `/api/Translations/detect-language-ai${query}`, { token })
        expect([query, answer.status, problemPaths(answer)]).toEqual([query, 400, ["country"]])
      }
    })
  )

  it.effect("are open to phone tokens, and 404 when the customer is gone", () =>
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const phoneToken = (customerID: number) =>
        tokens.forPhone({
          customerID: CustomerID.make(customerID),
          channelID: ChannelID.make(1),
          phoneNumber: "+15550100"
        })
      const body = { sourceText: "Hello", targetLang: "de" }
      const asPhone = { token: yield* phoneToken(1), body }
      expect((yield* sendJson("POST", translatePath, asPhone)).status).toBe(200)
      const { json, status } = yield* sendJson("POST", translatePath, { token: yield* phoneToken(999_999), body })
      expect([status, json]).toMatchObject([404, { status: 404 }])
    })
  )

  it.effect("are made again even if an Idempotency-Key repeats, and are all in the ledger", () =>
    Effect.gen(function* () {
      const token = yield* tokenOf("globex-admin")
      const { aiRuns } = yield* clientOf("globex-admin")
      const headers = { "idempotency-key": "again" }
      for (const sourceText of ["One", "Two"]) {
        const { json } = yield* sendJson("POST", translatePath, {
          token,
          headers,
          body: { sourceText, targetLang: "es" }
        })
        expect(json).toBe(`[sandbox] (es) ${sourceText}`)
      }
      const { items } = yield* aiRuns.listAiRuns({ urlParams: { purpose: "Translation", pageSize: 2 } })
      expect(items).toMatchObject([
        { output: "[sandbox] (es) Two", outcome: "Succeeded", modelName: "gpt-4.1-mini", ticketMessageID: null },
        { output: "[sandbox] (es) One", promptVersion: "translation-1", error: null, replayOf: null }
      ])
    })
  )
})
