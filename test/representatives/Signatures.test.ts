import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { client, login, sendJson, testApp } from "../support/TestApp.ts"

const create = (username: string) =>
  Effect.gen(function* () {
    const { representatives } = yield* client(yield* login("acme-admin"))
    const rep = yield* representatives.createCustomerRep({ payload: { username, password: "Demo-Pass-1" } })
    return { id: rep.customerRepID, path: `/customerReps/${rep.customerRepID}/signatures` }
  })

layer(testApp(), { excludeTestServices: true })("Signatures", (it) => {
  it.effect("are made, changed, listed and removed for each language", () =>
    Effect.gen(function* () {
      const { id, path } = yield* create("signer")
      const token = yield* login("signer")
      const html = '<p onclick="x()">Grüße</p>'
      const made = yield* sendJson("POST", path, {
        token,
        body: { customerRepID: id, Lang: "DE-at", emailSignatureHTML: html, emailSignatureText: "Grüße" }
      })
      const german = { customerRepID: id, lang: "de-AT", emailSignatureHTML: html, emailSignatureText: "Grüße" }
      expect([made.status, made.json]).toEqual([200, german])
      yield* sendJson("POST", path, { token, body: { lang: "en", emailSignatureText: "Regards" } })
      const english = { customerRepID: id, lang: "en", emailSignatureHTML: null, emailSignatureText: "Regards" }
      expect((yield* sendJson("GET", path, { token })).json).toEqual([german, english])
      const one = yield* sendJson("GET", `${path}/De-At`, { token })
      expect([one.status, one.json]).toEqual([200, german])
      expect(one.headers.get("etag")).toBeTruthy()
      expect((yield* sendJson("GET", `${path}/de`, { token })).status, "no fallback when reading").toBe(404)
      const again = yield* sendJson("POST", path, { token, body: { lang: "de-at", emailSignatureHTML: null } })
      expect(again.json).toEqual({ ...german, emailSignatureHTML: null })
      const removed = yield* sendJson("DELETE", `${path}/DE-AT`, { token })
      expect([removed.status, removed.text]).toEqual([204, ""])
      expect((yield* sendJson("DELETE", `${path}/de-AT`, { token })).status).toBe(404)
      expect((yield* sendJson("GET", path, { token })).json).toEqual([english])
    })
  )

  it.effect("are refused with an invalid language tag, too long a text, or for another representative", () =>
    Effect.gen(function* () {
      const { id, path } = yield* create("strict-signer")
      const token = yield* login("acme-admin")
      const bodies = [
        { lang: "not a language" },
        { lang: "german" },
        { lang: "qq" },
        { lang: "" },
        {},
        { lang: "en", customerRepID: id + 1 },
        { lang: "en", emailSignatureHTML: "x".repeat(100_001) }
      ]
      for (const body of bodies) {
        const { status } = yield* sendJson("POST", path, { token, body })
        expect(status, JSON.stringify(body).slice(0, 80)).toBe(400)
      }
      expect((yield* sendJson("GET", `${path}/en_US`, { token })).status).toBe(400)
      expect((yield* sendJson("DELETE", `${path}/1`, { token })).status).toBe(400)
      expect((yield* sendJson("GET", path, { token })).json).toEqual([])
    })
  )

  it.effect("can be read by every representative, and written by an Admin or the representative itself", () =>
    Effect.gen(function* () {
      const { path } = yield* create("signed-by-admin")
      const [admin, agent] = [yield* login("acme-admin"), yield* login("acme-agent")]
      const body = { lang: "fr", emailSignatureText: "Salut" }
      expect((yield* sendJson("POST", path, { token: agent, body })).status).toBe(403)
      expect((yield* sendJson("POST", path, { token: admin, body })).status).toBe(200)
      expect((yield* sendJson("GET", `${path}/fr`, { token: agent })).status).toBe(200)
      expect((yield* sendJson("DELETE", `${path}/fr`, { token: agent })).status).toBe(403)
      expect((yield* sendJson("DELETE", `${path}/fr`, { token: admin })).status).toBe(204)
    })
  )
})
