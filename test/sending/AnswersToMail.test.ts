import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { TicketMessageID } from "../../schema/Ids.ts"
import { answersToMail, quietSeconds, type Said } from "../../src/sending/AnswersToMail.ts"

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)

/** Messages from who wrote them and how many seconds after the one before. */
const chat = (...parts: ReadonlyArray<readonly [Said["by"], number]>): ReadonlyArray<Said> => {
  let seconds = 0
  return parts.map(([by, pause], index) => {
    seconds += pause
    return {
      ticketMessageID: TicketMessageID.make(index + 1),
      by,
      text: `${by} ${index + 1}`,
      at: at(seconds),
      isDue: by === "person",
      job: null
    }
  })
}

/** Runs the job of each answer when its time has come, and returns what each mails, the texts of a mail together. */
const mailed = (all: ReadonlyArray<Said>, isThere: (one: Said, now: number) => boolean = () => true) => {
  const takenBy = new Map<Said, string>()
  return all.flatMap(({ at: written, by, ticketMessageID }) => {
    const now = written.getTime() + (quietSeconds + 10) * 1000
    if (by !== "person") return []
    const said = all.filter((one) => one.at.getTime() <= now && isThere(one, now))
    const job = `job ${ticketMessageID}`
    const unseen = answersToMail(
      said.map((one) => ({ ...one, job: takenBy.get(one) ?? null })),
      ticketMessageID,
      job
    ).map(({ text }) => text)
    for (const one of said) if (unseen.includes(one.text)) takenBy.set(one, job)
    return unseen.length === 0 ? [] : [unseen]
  })
}

it("mails an answer with those shortly before it", () => {
  const said = chat(["visitor", 0], ["automation", 1], ["person", 60], ["person", 30], ["person", quietSeconds + 1])
  expect(mailed(said)).toEqual([["person 3", "person 4"], ["person 5"]])
})

it("mails nothing that the visitor has seen", () => {
  const said = chat(["visitor", 0], ["person", 10], ["visitor", 10], ["person", 10])
  expect(mailed(said)).toEqual([["person 4"]])
})

it("mails what was left to an answer that is deleted, and what that one had left to another", () => {
  const pair = chat(["person", 0], ["person", 60])
  const from = (seconds: number, gone: Said | undefined) => (one: Said, now: number) =>
    one !== gone || now < at(seconds).getTime()
  expect(mailed(pair, from(140, pair[1]))).toEqual([["person 1"]])
  const chain = chat(["person", 0], ["person", 100], ["person", 100])
  // By then the second one has left the first one to the third.
  expect(mailed(chain, from(240, chain[1]))).toEqual([["person 1", "person 3"]])
})

it("mails nothing that its author knew no address for", () => {
  const [seen, ...rest] = chat(["person", 0], ["person", 3600])
  const said = seen === undefined ? rest : [{ ...seen, isDue: false }, ...rest]
  expect(mailed(said)).toEqual([["person 2"]])
})

it("mails the same again when its job is repeated, and never what another job has taken", () => {
  const said = chat(["person", 0], ["person", 30]).map((one) => ({ ...one, job: "mine" }))
  const texts = (job: string) => answersToMail(said, TicketMessageID.make(2), job).map(({ text }) => text)
  expect([texts("mine"), texts("another")]).toEqual([["person 1", "person 2"], []])
})

it("leaves to a later answer neither what its job has taken nor what goes out when that one is mailed already", () => {
  const [early, late] = ["first", "second"]
  const texts = (id: number, job: string, takenBy: ReadonlyArray<string | null>) => {
    const said = chat(["person", 0], ["person", 115]).map((one, index) => ({ ...one, job: takenBy[index] ?? null }))
    return answersToMail(said, TicketMessageID.make(id), job).map(({ text }) => text)
  }
  // The later one went out only after the first mail was sent or tried.
  expect([texts(1, early, [early, null]), texts(2, late, [early, null])]).toEqual([["person 1"], ["person 2"]])
  expect(texts(1, early, [null, late])).toEqual(["person 1"])
})

it("mails each answer since the visitor's last message once, whatever was said, and whatever is deleted and when", () => {
  const by = FastCheck.constantFrom("visitor" as const, "person" as const, "automation" as const, "person" as const)
  const pause = FastCheck.constantFrom(0, 30, quietSeconds, quietSeconds + 1, 3600)
  /** After how many seconds a message is deleted; half of them never are. */
  const until = FastCheck.oneof(FastCheck.constant(Number.POSITIVE_INFINITY), FastCheck.integer({ min: 1, max: 600 }))
  FastCheck.assert(
    FastCheck.property(FastCheck.array(FastCheck.tuple(by, pause, until), { maxLength: 12 }), (parts) => {
      const all = chat(...parts.map(([by, pause]) => [by, pause] as const))
      const stays = (one: Said) =>
        one.by === "visitor" || parts[one.ticketMessageID - 1]?.[2] === Number.POSITIVE_INFINITY
      const isThere = (one: Said, now: number) =>
        stays(one) || now <= one.at.getTime() + (parts[one.ticketMessageID - 1]?.[2] ?? 0) * 1000
      const texts = mailed(all, isThere).flat()
      expect(texts).toEqual([...new Set(texts)])
      const lastSaid = all.findLastIndex((one) => one.by === "visitor")
      const unseen = all.slice(lastSaid + 1).filter((one) => one.by === "person" && stays(one))
      for (const { text } of unseen) expect(texts).toContain(text)
    }),
    { numRuns: 2000 }
  )
})
