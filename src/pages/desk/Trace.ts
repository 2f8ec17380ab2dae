import { DateTime } from "effect"
import type { AiRun } from "../../../schema/AiRuns.ts"
import type { MessageTrace, TraceEntry } from "../../../schema/Automation.ts"
import type { TicketMessageID } from "../../../schema/Ids.ts"
import { element, icon } from "../dom/Element.ts"
import { type IconName, icons } from "../dom/Icons.ts"
import { makeKeyed } from "../dom/Keyed.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { exactly, lasting, timeOf } from "./Format.ts"
import { emptyState, skeleton } from "./Labels.ts"
import { isMinor, isShown, outcomeOf, spaced, wordsOf } from "./TraceWords.ts"

const typeIcons: Readonly<Record<TraceEntry["type"], IconName>> = {
  Message: "mail",
  Step: "check",
  Event: "flag",
  Action: "bolt",
  AiRun: "spark"
}

const fact = (name: string, value: string | null) =>
  value === null ? [] : [element("dt", {}, name), element("dd", {}, value)]

const detailsOf = (aiRun: AiRun) =>
  element(
    "details",
    {},
    element("summary", {}, "AI details"),
    element(
      "dl",
      { class: "facts" },
      ...fact("Model", aiRun.modelName),
      ...fact("Prompt version", aiRun.promptVersion),
      ...fact("Time", lasting(aiRun.durationMs)),
      ...fact("Tokens", aiRun.inputTokens === null ? null : `${aiRun.inputTokens} in, ${aiRun.outputTokens ?? 0} out`),
      ...fact(
        "Documents",
        aiRun.documents.length === 0 ? null : aiRun.documents.map(({ documentID }) => `#${documentID}`).join(", ")
      ),
      ...fact(
        "Edited before sending",
        aiRun.changedShare === null ? null : `${Math.round(aiRun.changedShare * 100)} %`
      ),
      ...fact("Error", aiRun.error)
    ),
    aiRun.output !== null && element("pre", { dir: "auto" }, aiRun.output)
  )

const badOutcome = /fail|error|reject|skip/i

const entryOf = (entry: TraceEntry, before: TraceEntry | undefined, aiRun: AiRun | undefined) => {
  const sinceBefore = before === undefined ? 0 : DateTime.distance(before.at, entry.at)
  const outcome = outcomeOf(entry)
  return element(
    "li",
    {
      class: `entry ${entry.type.toLowerCase()}${badOutcome.test(outcome) ? " bad" : ""}${isMinor(entry) ? " minor" : ""}`
    },
    element("span", { class: "dot" }, icon(icons[typeIcons[entry.type]])),
    element(
      "div",
      {},
      element(
        "p",
        { class: "what" },
        element("strong", {}, wordsOf(entry)),
        element(
          "time",
          { title: exactly(entry.at) },
          before === undefined ? timeOf(entry.at) : sinceBefore < 1 ? "" : `+${lasting(sinceBefore)}`
        )
      ),
      outcome !== "" &&
        !(isMinor(entry) && /^(?:done|started)$/i.test(outcome)) &&
        element("p", { class: "outcome", dir: "auto" }, outcome),
      entry.hookName !== null && element("p", { class: "hook" }, `Trigger: ${spaced(entry.hookName)}`),
      aiRun !== undefined && detailsOf(aiRun)
    )
  )
}

/** Every step that automation and AI took for one message. */
export class Trace {
  readonly view = element("div", { class: "why" })
  #messageID: TicketMessageID | undefined
  readonly #entries = element("ol", { class: "trace" })
  readonly #show = makeKeyed(this.view)
  readonly #showEntries = makeKeyed(this.#entries)
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async show(messageID: TicketMessageID | undefined) {
    if (messageID === undefined) {
      this.#messageID = undefined
      return this.#say("spark", "No activity", "Automation only handles messages from customers.")
    }
    if (messageID !== this.#messageID) this.#show([{ key: "skeleton", looks: "", make: () => skeleton(5) }])
    this.#messageID = messageID
    try {
      const [trace, aiRuns] = await Promise.all([
        run(this.#client.automation.getMessageTrace({ path: { id: messageID } })),
        run(this.#client.aiRuns.listAiRuns({ urlParams: { ticketMessageId: messageID, pageSize: 200 } }))
      ])
      if (messageID === this.#messageID) this.#tell(messageID, trace, aiRuns.items)
    } catch (error) {
      if (messageID === this.#messageID) this.#say("alert", "Could not load the activity", wordsFor(error))
    }
  }

  #say(name: IconName, title: string, text: string) {
    this.#show([{ key: "note", looks: `${title} ${text}`, make: () => emptyState(name, title, text) }])
  }

  #tell(messageID: TicketMessageID, trace: MessageTrace, aiRuns: ReadonlyArray<AiRun>) {
    const entries = trace.entries.filter(isShown)
    if (entries.length === 0) {
      return this.#say("clock", "No activity yet", "Steps appear here as automation processes the message.")
    }
    const shown = entries.map((entry, index) => {
      const key = `${messageID}-${index}`
      const before = entries[index - 1]
      const aiRun = aiRuns.find(({ aiRunID }) => aiRunID === entry.aiRunID)
      const make = () => this.#unfolded(key, entryOf(entry, before, aiRun))
      return { key, looks: JSON.stringify([entry, before?.at, aiRun]), make }
    })
    this.#showEntries(shown)
    this.#show([{ key: "entries", looks: "", make: () => this.#entries }])
  }

  /** Entries that a person has unfolded stay so when updates arrive. */
  #unfolded(key: string, entry: HTMLElement) {
    entry.dataset["entry"] = key
    const was = this.#entries.querySelector<HTMLDetailsElement>(`[data-entry="${key}"] details`)
    const now = entry.querySelector("details")
    if (now !== null) now.open = was?.open === true
    return entry
  }
}
