import { describe, expect, it } from "@effect/vitest"
import { DateTime, FastCheck as fc } from "effect"
import { TicketID } from "../../schema/Ids.ts"
import { answerMessageID, tokensInAddresses, tokensInMessageIDs } from "../../src/mail/ReplyAddress.ts"
import { type KnownMail, type ThreadHints, threadOf } from "../../src/mail/Threading.ts"

const messageIDs = fc.constantFrom("<a@x>", "<b@x>", "<c@x>", "<d@x>")
const conversations = fc.constantFrom("one", "two")
const addresses = fc.constantFrom("maria@home.example", "tom@home.example", "eva@home.example")
const tokens = fc.constantFrom("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002")

const knownMails = fc
  .array(
    fc.record({
      internetMessageID: fc.option(messageIDs),
      conversationID: fc.option(conversations),
      participants: fc.array(addresses, { maxLength: 2 }),
      isOurs: fc.boolean(),
      date: fc.integer({ min: 0, max: 2 }).map((hour) => DateTime.unsafeMake(hour * 3_600_000)),
      ticketID: fc.integer({ min: 1, max: 5 }).map((id) => TicketID.make(id))
    }),
    { maxLength: 6 }
  )
  .map((mails): ReadonlyArray<KnownMail> => mails.map((mail, number) => ({ ...mail, number })))

const hints: fc.Arbitrary<ThreadHints> = fc.record({
  inReplyTo: fc.array(messageIDs, { maxLength: 1 }),
  references: fc.array(messageIDs, { maxLength: 3 }),
  conversationID: fc.option(conversations),
  senders: fc.uniqueArray(addresses, { maxLength: 2 }),
  tokens: fc.array(tokens, { maxLength: 1 })
})

const ticketTokens = fc.constant([{ token: "00000000-0000-4000-8000-000000000001", ticketID: TicketID.make(9) }])

const newest = (mails: ReadonlyArray<KnownMail>) => mails.at(-1)?.ticketID

/** The ticket of the mail to which a Message-ID belongs by right, whoever else has copied it. */
const withMessageID = (known: ReadonlyArray<KnownMail>, wanted: string | undefined) => {
  const all = known.filter(({ internetMessageID }) => internetMessageID === wanted)
  const ours = all.filter(({ isOurs }) => isOurs)
  const candidates = ours.length > 0 ? ours : all
  const oldest = Math.min(...candidates.map(({ date }) => DateTime.toEpochMillis(date)))
  return candidates.find(({ date }) => DateTime.toEpochMillis(date) === oldest)?.ticketID
}

describe("The ticket that a mail belongs to", () => {
  it("is that of the mail it answers, whatever else it says", () => {
    fc.assert(
      fc.property(hints, knownMails, ticketTokens, (mail, known, ofTickets) => {
        const [answered] = mail.inReplyTo
        const ticketID = withMessageID(known, answered)
        fc.pre(answered !== undefined && ticketID !== undefined)
        expect(threadOf(mail, known, ofTickets)).toBe(ticketID)
      })
    )
  })

  it("is otherwise that of the newest mail it refers to", () => {
    fc.assert(
      fc.property(hints, knownMails, ticketTokens, (mail, known, ofTickets) => {
        const references = mail.references.toReversed().flatMap((reference) => {
          const ticketID = withMessageID(known, reference)
          return ticketID === undefined ? [] : [ticketID]
        })
        fc.pre(references.length > 0)
        expect(threadOf({ ...mail, inReplyTo: ["<unknown@x>"] }, known, ofTickets)).toBe(references[0])
      })
    )
  })

  it("is otherwise that of its conversation if its senders took part, or else that of its token", () => {
    fc.assert(
      fc.property(hints, knownMails, ticketTokens, (mail, known, ofTickets) => {
        const alone = { ...mail, inReplyTo: [], references: [] }
        const shared = known.filter(
          ({ conversationID, participants }) =>
            conversationID !== null &&
            conversationID === mail.conversationID &&
            mail.senders.length > 0 &&
            mail.senders.every((sender) => participants.includes(sender))
        )
        const byToken = mail.tokens[0] === ofTickets[0]?.token ? ofTickets[0]?.ticketID : undefined
        expect(threadOf(alone, known, ofTickets)).toBe(newest(shared) ?? byToken)
      })
    )
  })

  it("is a new one when nothing points to an existing one", () => {
    const nothing = { inReplyTo: [], references: [], conversationID: null, senders: [], tokens: [] }
    fc.assert(fc.property(knownMails, ticketTokens, (known, all) => threadOf(nothing, known, all) === undefined))
  })
})

describe("A ticket token", () => {
  it("is found in a reply address and in the Message-ID of an answer, and nowhere else", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.domain(), (token, number, host) => {
        expect(tokensInAddresses([`support+${token.toUpperCase()}@${host}`, `x@${host}`])).toEqual([token])
        expect(tokensInMessageIDs([answerMessageID(number, token, host), `<${token}@${host}>`])).toEqual([token])
      })
    )
  })
})
