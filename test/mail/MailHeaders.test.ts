import { describe, expect, it } from "@effect/vitest"
import { answeredIn, referencesIn } from "../../src/mail/MailHeaders.ts"

const ids = (count: number) => Array.from({ length: count }, (_, number) => `<${number}@thread.example>`)

describe("The mails that a header names", () => {
  it("are found in order, whatever else it says", () => {
    expect(referencesIn("<a@x>\t<b@x> (see <c@x>)")).toEqual(["<a@x>", "<b@x>", "<c@x>"])
    expect(answeredIn("Your mail of Monday <a@x> <b@x>")).toEqual(["<a@x>", "<b@x>"])
    expect([referencesIn(undefined), answeredIn("none")]).toEqual([[], []])
  })

  it("are named once: references where they come last, answered mails where they come first", () => {
    expect(referencesIn("<a@x> <b@x> <a@x> <c@x> <b@x>")).toEqual(["<a@x>", "<c@x>", "<b@x>"])
    expect(answeredIn("<a@x> <b@x> <a@x>")).toEqual(["<a@x>", "<b@x>"])
  })

  it("are not more than 200, and the mail that began the thread", () => {
    const many = ids(3_000)
    expect(referencesIn(many.join(" "))).toEqual([...many.slice(0, 1), ...many.slice(-200)])
    expect(referencesIn([many[0], ...many, many[0]].join(""))).toEqual([...many.slice(-199), many[0]])
    expect(answeredIn(many.join(" "))).toEqual(many.slice(0, 200))
    expect(referencesIn(ids(200).join(" "))).toEqual(ids(200))
  })
})
