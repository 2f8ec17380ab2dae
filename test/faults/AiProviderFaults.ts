import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import { numberIn } from "../support/Fields.ts"
import { answering } from "../support/Hostile.ts"
import type { Behaviour, SeenRequest } from "../support/UpstreamServer.ts"
import { login, must } from "./Api.ts"
import { judge } from "./Findings.ts"
import { startLoad } from "./Load.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

const path = "/v1/chat/completions"
const json = { "content-type": "application/json" }

const saying = (text: string): Behaviour =>
  answering(200, JSON.stringify({ choices: [{ message: { role: "assistant", content: text } }] }), json)

/** Answers each of the questions as a sensible model would, telling them apart by the requested schema. */
const sensible: Behaviour = (request, response) => {
  const { body } = request
  const text = body.includes('"isSpam"')
    ? '{"isSpam":false,"reason":"a question"}'
    : body.includes('"topicIDs"')
      ? '{"topicIDs":[]}'
      : body.includes('"language"')
        ? '{"language":"en"}'
        : "Thank you for your message."
  saying(text)(request, response)
}

const later =
  (behaviour: Behaviour, milliseconds: number): Behaviour =>
  (request, response) => {
    setTimeout(() => behaviour(request, response), milliseconds)
  }

/** Slow, failing and wrong answers, used in turn. */
const badDay: ReadonlyArray<Behaviour> = [
  later(sensible, 3000),
  answering(500, "{}", json),
  answering(429, "{}", { ...json, "retry-after": "1" }),
  answering(503, "<html>maintenance</html>", { "content-type": "text/html" }),
  (_, response) => void response.destroy(),
  answering(200, '{"choices":[{"message":{"content":"half', json),
  answering(200, '{"hello":"world"}', json),
  saying('{"topicIDs":[999999],"isSpam":"maybe","language":"klingon"}'),
  answering(401, '{"error":{"message":"no such key"}}', json)
]

/** The AI provider has a bad day, then a good one: every message gets its draft, once. */
export const aiProviderFaults: Fault = Effect.gen(function* () {
  const stage = yield* setStage({ nodes: 2, env: { AI_PROVIDER: "openai" }, openAi: true })
  const { base } = stage.first.process()
  const token = yield* login(base)
  yield* must(base, "PUT", "/api/Customers/me", { token, body: { aiProviderApiKey: "sk-faults" } })
  let turn = 0
  const bad: Behaviour = (request: SeenRequest, response) => {
    turn += 1
    return badDay[turn % badDay.length]?.(request, response)
  }
  yield* stage.outside.upstream.on(path, bad)
  const started = Date.now()
  const load = yield* startLoad(stage.target, 1, false)
  yield* eventually(
    Effect.sync(load.acknowledged),
    (acknowledged) => acknowledged >= 20 && Date.now() - started > 20_000,
    "3 minutes"
  )
  const ended = yield* load.end
  const alarms = stage.nodes.flatMap(({ watch }, index) => {
    const times = watch.wronglyUnready(started, Date.now())
    return times > 0 ? [`node ${index + 1} not ready ${times} times although it could serve`] : []
  })
  yield* stage.outside.upstream.on(path, sensible)
  const good = Date.now()
  const findings = yield* judge(stage.postgres, stage.outside, ended)
  const recoveredAfter = secondsSince(good)
  const rows = yield* stage.postgres.query(`
    select m.message, m.status, m.ai_reply as draft, (select count(*)::int from event e
      where e.customer_id = m.customer_id and e.ticket_message_id = m.ticket_message_id and e.kind = 'DraftReady') as drafts
    from ticket_message m where m.message like 'case %'`)
  const [runs] = yield* stage.postgres.query(`
    select count(*)::int as total, count(*) filter (where outcome <> 'Succeeded')::int as failed from ai_run
    where model_name is not null`)
  return {
    fault: "AI provider slow, failing and lying",
    rounds: 1,
    ...findings,
    lost: [
      ...findings.lost,
      ...rows.filter(({ drafts }) => drafts === 0).map(({ message, status }) => `draft of ${message}, now ${status}`)
    ],
    doubled: [
      ...findings.doubled,
      ...rows.filter(({ drafts }) => Number(drafts) > 1).map(({ message }) => `draft of ${message}`)
    ],
    notes: [
      `${numberIn(runs, "failed")} of ${numberIn(runs, "total")} runs failed and are in the ledger`,
      ...findings.notes
    ],
    untruths: alarms,
    recoveredAfter
  }
})
