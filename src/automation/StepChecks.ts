import { Effect, Option } from "effect"
import type { ChannelType } from "../../schema/ChannelTypes.ts"
import type { CustomerID } from "../../schema/Ids.ts"
import type { RunRequest } from "../events/AutomationJobs.ts"
import { fn } from "../platform/telemetry/Fn.ts"
import { whyNoLongerMeant } from "./ActionPlan.ts"
import { MappedActionsRepo } from "./MappedActionsRepo.ts"
import type { Step } from "./RunsRepo.ts"
import { TargetsRepo } from "./TargetsRepo.ts"

/** Operations that answer an end user. */
const answering: ReadonlySet<string> = new Set(["SendReply", "SendDocument"])

/** Limits on the mails that actions send: a program may answer each of them without identifying itself as one. */
const mostAnHour = { inTicket: 10, toEndUser: 50 }

const looksLikeLoop = (sent: number, where: string) =>
  `Left to a person: automation sent ${sent} mails ${where} within an hour, so a program may be answering them.`

/** Decides right before a planned step whether it may still run: everything can have changed since the plan was made. */
export const makeStepChecks = Effect.gen(function* () {
  const mapped = yield* MappedActionsRepo
  const targets = yield* TargetsRepo

  const mappedTo = ({ hookName, ticketMessageID }: RunRequest, customerID: CustomerID) => {
    if (hookName !== null) return mapped.ofHook(customerID, hookName)
    return ticketMessageID === null ? Effect.succeed([]) : mapped.ofTopics(customerID, ticketMessageID)
  }

  /**
   * Why an answer is not sent without a person: spam is not answered, and two programs must not answer each other
   * forever.
   */
  const whyNotByItself = fn("StepChecks.whyNotByItself")(function* (
    customerID: CustomerID,
    { hookName, ticketID }: RunRequest,
    { operation }: Step,
    { channelType }: { readonly channelType: ChannelType }
  ) {
    if (!answering.has(operation)) return undefined
    const found = yield* targets.findRestraints(customerID, ticketID)
    if (Option.isNone(found)) return undefined
    const { inTicket, isPrograms, isSpam, toEndUser } = found.value
    if (isSpam && hookName !== "OnSpam") return "The ticket is spam."
    if (channelType !== "Email") return undefined
    if (isPrograms) return "Only programs have written in this ticket, so nobody would read an answer."
    if (inTicket >= mostAnHour.inTicket) return looksLikeLoop(inTicket, "in this ticket")
    return toEndUser >= mostAnHour.toEndUser ? looksLikeLoop(toEndUser, "to this end user") : undefined
  })

  /** Why a step must not run any more. A step that has begun is finished. */
  const whyNotAnyMore = fn("StepChecks.whyNotAnyMore")(function* (
    customerID: CustomerID,
    request: RunRequest,
    step: Step
  ) {
    const { actionID, hookName, status, topicID } = step
    if (status === "Running") return undefined
    const channel = yield* targets.findChannel(customerID, request)
    if (Option.isNone(channel)) return undefined
    // Another topic of the message may map to the same action, which was planned only once.
    const mappedNow = yield* mappedTo(request, customerID)
    const ofItsTopic = topicID === null ? [] : yield* mapped.ofTopic(customerID, topicID)
    const why = whyNoLongerMeant(actionID, [...mappedNow, ...ofItsTopic], channel.value)
    if (why === undefined) return yield* whyNotByItself(customerID, request, step, channel.value)
    return hookName === null && topicID === null ? "The topic was deleted." : why
  })

  return { mappedTo, whyNotAnyMore }
})
