import { Effect, Layer } from "effect"
import { eventually } from "../support/Eventually.ts"
import { numberIn } from "../support/Fields.ts"
import { GraphServer, simulatedCredentials } from "../support/GraphServer.ts"
import type { Switches } from "../support/GraphServerState.ts"
import { mail } from "../support/Mails.ts"
import { login, must } from "./Api.ts"
import { type Fault, secondsSince, setStage } from "./Stage.ts"

const address = "faults@acme.example"

const badDays: ReadonlyArray<readonly [name: string, switches: Partial<Switches>]> = [
  ["slow", { latency: 2000 }],
  ["failing", { fail: { requests: 30, status: 503 } }],
  ["throttling", { throttle: { requests: 10, retryAfter: "1" } }],
  ["breaking off", { cut: 10 }],
  ["telling twice and out of order", { copies: 3, reorder: true }],
  ["telling nothing", { lose: true }],
  ["telling forged news", { forge: true }],
  ["forgetting tokens", { withdrawTokensAfter: 2 }],
  ["forgetting how far it was", { forgetDelta: true }],
  ["losing the answer to a send", { cutAfterSend: 3 }]
]

/** The mail provider has ten bad days: every mail becomes one ticket, and every answer leaves once. */
export const mailProviderFaults: Fault = Effect.gen(function* () {
  const context = yield* Layer.build(GraphServer.layer)
  const graph = yield* Effect.provide(GraphServer, context)
  const stage = yield* setStage({ nodes: 2, env: { GRAPH_BASE_URL: graph.graphUrl }, allow: [graph.port] })
  const { base } = stage.first.process()
  yield* graph.serviceAt(base)
  const token = yield* login(base)
  const channel = yield* must(base, "POST", "/api/Channels", {
    token,
    body: {
      channelType: "Email",
      name: "Faults",
      isActive: true,
      emailAddress: address,
      overrideMailProviderTenantID: simulatedCredentials.tenantID,
      overrideMailProviderClientID: simulatedCredentials.clientID,
      overrideMailProviderClientSecret: simulatedCredentials.clientSecret,
      overrideMailProviderAuthorityURL: graph.authorityUrl
    }
  })
  const channelID = numberIn(channel, "channelID")
  yield* must(base, "POST", `/api/MailWebhook/subscribe/${channelID}`, { token })

  const imported = stage.postgres.query(
    `select ticket_message_id as id, subject, status from ticket_message
     where channel_id = ${channelID} and sender_type = 'EndUser' order by 1`
  )
  const started = Date.now()
  const subjects: Array<string> = []
  for (const [name, switches] of badDays) {
    yield* graph.set(switches)
    for (let number = 0; number < 4; number++) {
      const subject = `${name} ${number}`
      subjects.push(subject)
      yield* graph.arrive(address, mail({ subject, text: `It drips: ${subject}` }))
    }
    // An earlier message is answered on the same bad day.
    const [oldest] = (yield* imported).filter(({ status }) => status !== "Replied")
    if (oldest !== undefined) {
      const body = { modifiedAnswer: `Answer to ${oldest["subject"]}` }
      yield* must(base, "POST", `/ticketMessages/${oldest["id"]}/send`, { token, body })
    }
    yield* Effect.sleep(3000)
  }
  const alarms = stage.nodes.flatMap(({ watch }, index) => {
    const times = watch.wronglyUnready(started, Date.now())
    return times > 0 ? [`node ${index + 1} not ready ${times} times although it could serve`] : []
  })
  yield* graph.set()
  const good = Date.now()
  yield* must(base, "POST", `/api/Channels/${channelID}/import-emails`, { token })
  const idle = Effect.map(
    stage.postgres.query("select kind from job where status in ('Queued', 'Running')"),
    ({ length }) => length === 0
  )
  yield* eventually(
    Effect.zip(imported, idle),
    ([rows, isIdle]) => rows.length >= subjects.length && isIdle,
    "4 minutes"
  )
  const recoveredAfter = secondsSince(good)
  const rows = yield* imported
  const answered = rows.filter(({ status }) => status === "Replied").map(({ subject }) => String(subject))
  const sent = [...graph.mailbox(address).messages.values()].filter(
    ({ folderID, isDraft }) => folderID === "AAMk-sent" && !isDraft
  )
  const sentOf = (subject: string) =>
    sent.filter(({ fields }) => JSON.stringify(fields).includes(`Answer to ${subject}`)).length
  const times = (subject: string) => rows.filter((row) => row["subject"] === subject).length
  return {
    fault: "mail provider slow, failing and lying",
    rounds: badDays.length,
    acknowledged: subjects.length + answered.length,
    lost: [
      ...subjects.filter((subject) => times(subject) === 0),
      ...answered.filter((subject) => sentOf(subject) === 0).map((subject) => `answer to ${subject}`)
    ],
    doubled: [
      ...subjects.filter((subject) => times(subject) > 1),
      ...answered.filter((subject) => sentOf(subject) > 1).map((subject) => `answer to ${subject}`)
    ],
    notes: [`${subjects.length} mails, ${answered.length} answers`],
    untruths: alarms,
    recoveredAfter
  }
})
