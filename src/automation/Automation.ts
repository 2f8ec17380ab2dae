import { Context, Effect, Layer, Option } from "effect"
import { CurrentRep } from "../../schema/Authentication.ts"
import { FiredHook, type FireHook, HookStep, MessageTrace, SkippedHookAction } from "../../schema/Automation.ts"
import { BadRequest, Conflict, type Forbidden, type NotFound } from "../../schema/Errors.ts"
import { HookActionID, type TicketMessageID } from "../../schema/Ids.ts"
import { AiProvider } from "../ai/AiProvider.ts"
import { runActions, runPipeline } from "../events/AutomationJobs.ts"
import { Events } from "../events/Events.ts"
import { InTransaction } from "../platform/database/InTransaction.ts"
import { Jobs } from "../platform/queue/Jobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { MessageAccess } from "../ticketMessages/MessageAccess.ts"
import { TicketMessagesRepo } from "../ticketMessages/TicketMessagesRepo.ts"
import { TicketsRepo } from "../tickets/TicketsRepo.ts"
import type { ActionPlan } from "./ActionPlan.ts"
import { ActionRunner } from "./ActionRunner.ts"
import { PipelineRepo } from "./PipelineRepo.ts"
import { TraceRepo } from "./TraceRepo.ts"

export class Automation extends Context.Tag("casework/Automation")<
  Automation,
  {
    readonly fire: (request: FireHook) => Effect.Effect<FiredHook, BadRequest, CurrentRep>
    /**
     * Repeats what failed in a message's pipeline or what was skipped for lack of AI that is now configured, or
     * continues after a wrong spam verdict; otherwise fails with 409.
     */
    readonly retry: (
      ticketMessageID: TicketMessageID
    ) => Effect.Effect<void, NotFound | Forbidden | Conflict, CurrentRep>
    readonly trace: (ticketMessageID: TicketMessageID) => Effect.Effect<MessageTrace, NotFound | Forbidden, CurrentRep>
  }
>() {
  static readonly layer = Layer.effect(
    Automation,
    Effect.suspend(() => make)
  )
}

const explained = ({ skipped, steps }: ActionPlan) => ({
  steps: steps.map(
    ({ actionID, name, operation, topicActionID }, index) =>
      new HookStep({ order: index + 1, hookActionID: HookActionID.make(topicActionID), actionID, name, operation })
  ),
  skipped: skipped.map(
    ({ action: { actionID, name, topicActionID }, reason }) =>
      new SkippedHookAction({ hookActionID: HookActionID.make(topicActionID), actionID, name, reason })
  )
})

const make = Effect.gen(function* () {
  const inTransaction = yield* InTransaction
  const messages = yield* TicketMessagesRepo
  const access = yield* MessageAccess
  const runner = yield* ActionRunner
  const traces = yield* TraceRepo
  const jobs = yield* Jobs
  const pipeline = yield* PipelineRepo
  const events = yield* Events
  const tickets = yield* TicketsRepo
  const ai = yield* AiProvider

  return Automation.of({
    fire: fn("Automation.fire")(function* ({ dryRun = false, hookName, ticketMessageID }) {
      const { customerID } = yield* CurrentRep
      const message = yield* Effect.flatMap(
        messages.find(customerID, ticketMessageID),
        Option.match({
          onNone: () => BadRequest.at("ticketMessageID", "is not one of your ticket messages"),
          onSome: Effect.succeed
        })
      )
      const { channelID, ticketID } = message
      const plan = yield* runner.explain(customerID, hookName, message)
      if (!dryRun) {
        const reason = `fired ${crypto.randomUUID()}`
        yield* jobs.enqueue(runActions, customerID, { reason, hookName, ticketID, ticketMessageID, parentRunID: null })
      }
      return new FiredHook({ hookName, channelID, ...explained(plan) })
    }),

    retry: fn("Automation.retry")(function* (ticketMessageID) {
      const { customerID } = yield* CurrentRep
      // Locked before the message: a run takes its job first, then the message.
      const underWay = yield* pipeline.hasten(customerID, ticketMessageID)
      const found = messages.findForUpdate(customerID, ticketMessageID)
      const { aiReply, status, ticketID } = yield* found.pipe(access.orRefuse(ticketMessageID))
      const ticket = status === "Spam" ? yield* tickets.find(customerID, ticketID) : Option.none()
      const isNoSpamAfterAll = Option.exists(ticket, ({ isSpam }) => !isSpam)
      const { hadFailed, wasWanting } = yield* pipeline.forgetFailures(customerID, ticketMessageID)
      const isWorthIt = hadFailed || isNoSpamAfterAll || (wasWanting && (yield* ai.isConfigured(customerID)))
      if (!isWorthIt) {
        return yield* Conflict.of("The processing of this message has not failed: there is nothing to retry.")
      }
      if (underWay === "Running") return yield* Conflict.of("This message is being processed. Try again in a moment.")
      // A message that failed for another reason, such as an answer that could not be delivered, stays as it is.
      if (isNoSpamAfterAll || (status === "Failed" && aiReply === null)) {
        yield* messages.update(customerID, ticketMessageID, { status: "Received" })
      }
      if (underWay === "None") {
        const opensTicket = yield* pipeline.opensTicket(customerID, ticketMessageID)
        yield* jobs.enqueue(runPipeline, customerID, { ticketMessageID, opensTicket })
      } else yield* jobs.woken
      yield* events.record(customerID, [{ kind: "MessageChanged", ticketID, ticketMessageID }])
    }, inTransaction),

    trace: fn("Automation.trace")(function* (ticketMessageID) {
      const { customerID } = yield* CurrentRep
      yield* messages.find(customerID, ticketMessageID).pipe(access.orRefuse(ticketMessageID))
      return new MessageTrace({ messageID: ticketMessageID, entries: yield* traces.list(customerID, ticketMessageID) })
    })
  })
})
