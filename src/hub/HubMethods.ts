import { Context, Effect, Either, Layer, Option, ParseResult, Schema } from "effect"
import type { Representative } from "../../schema/Authentication.ts"
import { BadRequest, type Conflict, type Forbidden, type NotFound } from "../../schema/Errors.ts"
import { HubRequestAgent, HubSendMessage, HubSentMessage } from "../../schema/Hub.ts"
import { TicketID } from "../../schema/Ids.ts"
import { Feedback } from "../../schema/TicketMessageBodies.ts"
import { Broadcast } from "../events/Broadcast.ts"
import { makeBuckets } from "../platform/concurrency/Buckets.ts"
import { steadyClock } from "../platform/concurrency/SteadyClock.ts"
import { bindNames, nameTree } from "../platform/NameBinding.ts"
import { problemsIn } from "../platform/Problems.ts"
import { Settings } from "../platform/settings/Settings.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { counted } from "../platform/text/Counted.ts"
import { RepresentativesRepo } from "../representatives/RepresentativesRepo.ts"
import { Chats } from "./Chats.ts"
import { type HubClient, HubClients, type Visitor } from "./HubClients.ts"

/** What the hub remembers of a connection between its calls. */
export interface Session {
  readonly client: HubClient
  /** A visitor's only chat, once it was started or resumed. */
  chat: TicketID | undefined
  /** When typing in a ticket was last broadcast. */
  readonly typedAt: Map<TicketID, number>
}

type Refusal = BadRequest | NotFound | Forbidden | Conflict

/** The result of a method: JSON, or nothing. */
type Answer = Effect.Effect<string | undefined, Refusal>

/** The functions that clients may call. */
export class HubMethods extends Context.Tag("casework/HubMethods")<
  HubMethods,
  { readonly call: (session: Session, name: string, given: ReadonlyArray<unknown>) => Answer }
>() {
  static readonly layer = Layer.effect(
    HubMethods,
    Effect.suspend(() => make)
  )
}

type Method = (session: Session, given: ReadonlyArray<unknown>) => Answer

/** A problem with no field in particular is reported for the whole argument. */
const named = ({ message, path }: ParseResult.ArrayFormatterIssue) => ({
  path: path.length === 0 ? ["The argument"] : path,
  message
})

/** A method with one argument, whose property names are bound without regard to case. */
const taking = <A, I>(argument: Schema.Schema<A, I>, run: (session: Session, argument: A) => Answer): Method => {
  const decode = Schema.decodeUnknownEither(argument, { errors: "all" })
  const names = nameTree(argument.ast)
  return (session, given) => {
    if (given.length !== 1) return BadRequest.of(`This method takes one argument, not ${given.length}.`)
    return Either.match(decode(bindNames(given[0], names)), {
      onLeft: (error) => Effect.fail(problemsIn(ParseResult.ArrayFormatter.formatErrorSync(error).map(named))),
      onRight: (value) => run(session, value)
    })
  }
}

const typingPause = 1000

const ofRepresentative = ({ client: { caller } }: Session): Effect.Effect<Representative, BadRequest> =>
  caller._tag === "Representative" ? Effect.succeed(caller) : BadRequest.of("Only representatives may do this.")

const ofVisitor = ({ client: { caller } }: Session): Effect.Effect<Visitor, BadRequest> =>
  caller._tag === "Visitor" ? Effect.succeed(caller) : BadRequest.of("Only chat visitors may do this.")

/** A visitor has one chat; any other ticket number is treated as if the ticket did not exist. */
const checkOwnChat = ({ chat }: Session, ticketID: TicketID | undefined) =>
  ticketID === undefined || ticketID === chat
    ? Effect.succeed(chat)
    : BadRequest.at("ticketID", "is not your chat; resume it first")

const make = Effect.gen(function* () {
  const chats = yield* Chats
  const clients = yield* HubClients
  const broadcast = yield* Broadcast
  const representatives = yield* RepresentativesRepo
  const clock = yield* steadyClock
  const { messages } = (yield* Settings).hubLimits
  const take = Option.map(messages, makeBuckets)

  /** Every message of a visitor may cost an answer from a model, and the first one makes a ticket. */
  const inMeasure = fn("HubMethods.inMeasure")(function* ({ address, customerID }: Visitor) {
    if (Option.isNone(take)) return
    const { isAllowed, retryAfterSeconds } = yield* take.value(`${customerID} ${address}`)
    if (!isAllowed) {
      return yield* BadRequest.of(`Too many messages were sent. Try again in ${counted(retryAfterSeconds, "second")}.`)
    }
  })

  const encodeSent = Schema.encode(Schema.parseJson(HubSentMessage))
  const encodeFeedback = Schema.encode(Schema.parseJson(Feedback))

  const enter = (session: Session, ticketID: TicketID) =>
    Effect.sync(() => {
      if (session.chat !== undefined) clients.unfollow(session.client, session.chat)
      session.chat = ticketID
      clients.follow(session.client, ticketID)
    })

  /** Leaves a chat that was deleted or could not start: the next message starts another one. */
  const leave = (session: Session) =>
    Effect.sync(() => {
      if (session.chat !== undefined) clients.unfollow(session.client, session.chat)
      session.chat = undefined
    })

  const sendMessage = taking(HubSendMessage, (session, message) =>
    Effect.gen(function* () {
      const { caller } = session.client
      if (caller._tag === "Representative") return yield* chats.answer(caller, message)
      const chat = yield* checkOwnChat(session, message.ticketID)
      yield* inMeasure(caller)
      return yield* chats
        .write(caller, chat, message, (ticketID) => enter(session, ticketID))
        .pipe(
          Effect.tapErrorTag("NotFound", () => leave(session)),
          Effect.onError(() => (chat === undefined ? leave(session) : Effect.void))
        )
    }).pipe(Effect.flatMap((sent) => Effect.orDie(encodeSent(sent))))
  )

  const resumeChat = taking(Schema.String, (session, ticketToken) =>
    Effect.gen(function* () {
      const visitor = yield* ofVisitor(session)
      const before = session.chat
      const chat = yield* chats
        .resume(visitor, ticketToken, (ticketID) => enter(session, ticketID))
        .pipe(Effect.onError(() => (session.chat === before ? Effect.void : leave(session))))
      return chat.text
    })
  )

  const requestAgent = taking(HubRequestAgent, (session, request) =>
    Effect.gen(function* () {
      const visitor = yield* ofVisitor(session)
      const chat = yield* checkOwnChat(session, request.ticketID)
      if (chat === undefined) return yield* BadRequest.of("Send a message first.")
      yield* inMeasure(visitor)
      return yield* Effect.orDie(encodeFeedback(yield* chats.requestAgent(visitor, chat, request)))
    })
  )

  const joinTicket = taking(TicketID, (session, ticketID) =>
    Effect.gen(function* () {
      yield* chats.join(yield* ofRepresentative(session), ticketID)
      clients.follow(session.client, ticketID)
      return undefined
    })
  )

  const leaveTicket = taking(TicketID, (session, ticketID) =>
    Effect.gen(function* () {
      yield* ofRepresentative(session)
      clients.unfollow(session.client, ticketID)
      session.typedAt.delete(ticketID)
      return undefined
    })
  )

  const nameOf = fn("HubMethods.nameOf")(function* (rep: Representative) {
    const found = yield* representatives.find(rep.customerID, rep.customerRepID)
    return Option.match(found, { onNone: () => rep.username, onSome: ({ name, username }) => name || username })
  })

  const typing = taking(TicketID, (session, ticketID) =>
    Effect.gen(function* () {
      const { caller } = session.client
      if (!clients.follows(session.client, ticketID)) {
        return yield* BadRequest.of(
          caller._tag === "Visitor" ? "This is not your chat. Resume it first." : "Join the ticket first."
        )
      }
      const now = clock()
      if (now - (session.typedAt.get(ticketID) ?? 0) < typingPause) return undefined
      session.typedAt.set(ticketID, now)
      const { customerID } = caller
      yield* broadcast.typing(
        caller._tag === "Visitor"
          ? { customerID, ticketID, from: yield* chats.endUserName(customerID, ticketID), customerRepID: null }
          : { customerID, ticketID, from: yield* nameOf(caller), customerRepID: caller.customerRepID }
      )
      return undefined
    })
  )

  const methods = new Map<string, Method>(
    Object.entries({ sendMessage, resumeChat, requestAgent, joinTicket, leaveTicket, typing }).map(([name, method]) => [
      name.toLowerCase(),
      method
    ])
  )

  return HubMethods.of({
    call: (session, name, given) =>
      methods.get(name.toLowerCase())?.(session, given) ?? BadRequest.of(`There is no method ${name.slice(0, 100)}.`)
  })
})
