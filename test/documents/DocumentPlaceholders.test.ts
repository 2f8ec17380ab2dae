import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { clientOf, testApp } from "../support/TestApp.ts"

const contentWith = (username: string, content: string) =>
  Effect.gen(function* () {
    const { documents } = yield* clientOf(username)
    const { documentID } = yield* documents.createDocument({
      payload: { name: "Placeholders", isDataRetrievalProcess: false, content }
    })
    const path = { id: documentID }
    const plain = yield* documents.getDocument({ path, urlParams: {} })
    expect(plain.content).toBe(content)
    expect((yield* documents.getDocument({ path, urlParams: { replacePlaceholders: false } })).content).toBe(content)
    return (yield* documents.getDocument({ path, urlParams: { replacePlaceholders: true } })).content
  })

layer(testApp(), { excludeTestServices: true })("Document placeholders", (it) => {
  it.effect("list the customer's topics, one line each", () =>
    Effect.gen(function* () {
      const acme = yield* clientOf("acme-admin")
      const globex = yield* clientOf("globex-admin")
      yield* acme.topics.createTopic({ payload: { name: "AA keys", description: "Lost\nor stolen {{CustomerName}}" } })
      yield* acme.topics.createTopic({ payload: { name: "AB other" } })
      yield* globex.topics.createTopic({ payload: { name: "AA foreign" } })
      const content = yield* contentWith("acme-admin", "Topics:\n{{TopicList}}\nEnd")
      expect(content).toMatch(/^Topics:\n- AA keys: Lost or stolen \{\{CustomerName\}\}\n- AB other\n/)
      expect(content).toMatch(/\nEnd$/)
      expect(content).not.toContain("foreign")
      const { items } = yield* acme.topics.listTopics({ urlParams: { pageSize: 200 } })
      expect(content?.split("\n")).toHaveLength(items.length + 2)
    })
  )

  it.effect("name the customer, its channels and its representatives", () =>
    Effect.gen(function* () {
      expect(yield* contentWith("acme-admin", "{{CustomerName}}")).toBe("Acme Rentals")
      expect(yield* contentWith("acme-admin", "{{ChannelList}}")).toContain("- Support mail: Email")
      expect(yield* contentWith("globex-admin", "{{RepresentativeList}}")).toBe("- Globex Admin: admin@globex.example")
    })
  )

  it.effect("give the date and the time in UTC", () =>
    Effect.gen(function* () {
      expect(yield* contentWith("acme-admin", "{{Today}}|{{ Now }}")).toMatch(
        /^\d{4}-\d\d-\d\d\|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
      )
    })
  )

  it.effect("stay as written when they are unknown or need a message", () =>
    Effect.gen(function* () {
      const content = "{{Nope}} {{topiclist}} {{Message.text}} {{}} {{constructor}} {{ {{"
      expect(yield* contentWith("acme-admin", content)).toBe(content)
    })
  )
})
