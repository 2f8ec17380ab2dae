import { Effect } from "effect"
import { eventually } from "../support/Eventually.ts"
import type { Case, Tally } from "./Load.ts"
import { markerIn, type Outside } from "./Outside.ts"
import type { ThrowawayPostgres } from "./ThrowawayPostgres.ts"

export interface Findings {
  readonly acknowledged: number
  readonly lost: ReadonlyArray<string>
  readonly doubled: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

const countBy = (texts: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** All work that is waiting or under way. */
const openJobs = (postgres: ThrowawayPostgres) =>
  Effect.map(
    postgres.query("select kind, status, attempts, error from job where status in ('Queued', 'Running')"),
    (rows) => rows.map((row) => JSON.stringify(row))
  )

/** The Message-IDs of the mails about each case; a mailbox shows mails with the same one only once. */
const mailsBy = (mails: ReadonlyArray<{ readonly data: string }>) => {
  const ids = new Map<string, Array<string>>()
  for (const { data } of mails) {
    // Lines may be broken where they are encoded as quoted-printable.
    const marker = markerIn(data.replaceAll("=\n", ""))
    const id = /^Message-ID: *(\S+)/im.exec(data)?.[1] ?? ""
    ids.set(marker, [...(ids.get(marker) ?? []), id])
  }
  return ids
}

/** Waits until all work is done, then compares what was acknowledged with what is stored and what was sent. */
export const judge = (
  postgres: ThrowawayPostgres,
  outside: Outside,
  { cases, tally }: { readonly cases: ReadonlyArray<Case>; readonly tally: Tally }
) =>
  Effect.gen(function* () {
    yield* eventually(openJobs(postgres), (jobs) => jobs.length === 0, "20 minutes")
    const rows = yield* postgres.query(
      "select message, sender_type, status, ticket_message_id as id from ticket_message where message like '%case %'"
    )
    const messages = countBy(rows.map(({ message }) => String(message)))
    const orders = countBy(yield* outside.orders)
    const mails = mailsBy(yield* outside.mails)
    const failures = new Map(
      (yield* postgres.query(`
        select m.message, a.error from message_action a
        join ticket_message m on m.customer_id = a.customer_id and m.ticket_message_id = a.ticket_message_id
        where a.status = 'Failed' and a.operation = 'CallApi'`)).map(({ error, message }) => [
        String(message),
        String(error)
      ])
    )
    const interrupted = new Set(
      [...failures].filter(([, error]) => error.startsWith("The call was interrupted")).map(([message]) => message)
    )
    const failedJobs = yield* postgres.query("select kind, error from job where status = 'Failed'")
    const [lost, doubled]: [Array<string>, Array<string>] = [[], []]
    let repeatedMails = 0
    const expectOnce = (what: string, times: number, mayBeMissing = false) => {
      if (times === 0 && !mayBeMissing) lost.push(what)
      if (times > 1) doubled.push(`${what}: ${times} times`)
    }
    for (const { isAnswered, marker, messageID, number } of cases) {
      const isAcknowledged = messageID !== undefined
      const isThere = messages.has(marker)
      expectOnce(`message of ${marker}`, messages.get(marker) ?? 0, !isAcknowledged)
      expectOnce(
        `order of ${marker} (${failures.get(marker) ?? "no reason"})`,
        orders.get(marker) ?? 0,
        !isThere || interrupted.has(marker)
      )
      const ids = mails.get(marker) ?? []
      expectOnce(`mail about ${marker}`, new Set(ids).size, !isThere)
      repeatedMails += Math.max(0, ids.length - new Set(ids).size)
      const answer = `answer to ${marker}`
      expectOnce(answer, messages.get(answer) ?? 0, !isAnswered)
      const sent = (yield* outside.telephony.taken(`whatsapp:${number}`)).filter(({ body }) => body === answer)
      expectOnce(`WhatsApp message of ${marker}`, sent.length, !messages.has(answer))
    }
    for (const { error, kind } of failedJobs) lost.push(`job ${kind}: ${error}`)
    const broken = tally.statuses.get(0) ?? 0
    const errors = [...tally.statuses].filter(([status]) => status >= 500)
    return {
      acknowledged: cases.filter(({ messageID }) => messageID !== undefined).length,
      lost,
      doubled,
      notes: [
        ...(interrupted.size > 0 ? [`${interrupted.size} calls noted as interrupted, not repeated`] : []),
        ...(repeatedMails > 0 ? [`${repeatedMails} mails sent again under the same Message-ID`] : []),
        ...(broken > 0 ? [`${broken} requests cut off or refused`] : []),
        ...errors.map(([status, times]) => `${times} × ${status}`)
      ]
    } satisfies Findings
  })
