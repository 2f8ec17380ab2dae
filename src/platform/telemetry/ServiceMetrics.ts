import { Metric, MetricBoundaries, MetricKey, MetricLabel } from "effect"
import { AiPurpose } from "../../../schema/AiRuns.ts"

/** In seconds: from a cached read to a call that waits for a model. */
const seconds = MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])

type Labels = Readonly<Record<string, string>>

/**
 * Finds the member of a family by the values of its labels. Labels are part of its key: tagging a metric afterwards
 * would compare and hash them each time, which a request must not pay for. Labels are routes, kinds and outcomes, never
 * what a caller may choose freely.
 */
const family = <Member>(make: (labels: ReadonlyArray<MetricLabel.MetricLabel>) => Member) => {
  const members = new Map<string, Member>()
  return (labels: Labels) => {
    const key = Object.values(labels).join("\n")
    const known = members.get(key)
    if (known !== undefined) return known
    const member = make(Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value)))
    members.set(key, member)
    return member
  }
}

const counters = (name: string, description: string) => {
  const key = MetricKey.counter(name, { description, incremental: true })
  const of = family((labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return { of, add: (labels: Labels, amount = 1) => of(labels).unsafeUpdate(amount, []) }
}

const gauges = (name: string, description: string) => {
  const key = MetricKey.gauge(name, { description })
  const of = family((labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return {
    of,
    set: (value: number, labels: Labels = {}) => of(labels).unsafeUpdate(value, []),
    change: (by: number, labels: Labels = {}) => of(labels).unsafeModify(by, [])
  }
}

const histograms = (name: string, description: string) => {
  const key = MetricKey.histogram(name, seconds, description)
  const of = family((labels) => Metric.fromMetricKey(MetricKey.taggedWithLabels(key, labels)))
  return { of, observe: (labels: Labels, value: number) => of(labels).unsafeUpdate(value, []) }
}

export const httpRequests = counters("casework_http_requests_total", "Requests answered; 499: the caller went away")
export const httpDuration = histograms("casework_http_request_duration_seconds", "From the request to its answer")
export const httpActive = gauges("casework_http_requests_active", "Requests under way")

export const jobs = counters("casework_jobs_total", "Runs of jobs by how they ended")
export const jobDuration = histograms("casework_job_duration_seconds", "How long a run of a job took")
export const jobsRunning = gauges("casework_jobs_running", "Jobs that this node runs")
export const jobsWaiting = gauges("casework_jobs_waiting", "Jobs in the queue that are due, over all nodes")
export const jobsOldest = gauges("casework_jobs_oldest_seconds", "For how long the oldest of them has been due")

export const aiCalls = counters("casework_ai_calls_total", "Questions to a model by how they ended")
export const aiTokens = counters("casework_ai_tokens_total", "Tokens sent to models and answered by them")
export const aiDuration = histograms("casework_ai_call_duration_seconds", "How long a model took to answer")

export const mails = counters("casework_mails_total", "Mails that came in: imported, known already, or in trouble")
export const mailsSetAside = gauges("casework_mails_set_aside", "Mails that a person has to look at, over all nodes")
export const deliveries = counters("casework_deliveries_total", "Attempts to deliver a message")

export const hubConnections = gauges("casework_hub_connections", "Connections to the hub on this node")

export const databaseUp = gauges("casework_database_up", "1 when the database answered the last look and takes changes")
export const transactionsHindered = counters(
  "casework_transactions_hindered_total",
  "Tries of transactions that got in each other's way: they waited for each other, or what one referred to had just gone"
)
export const databaseConnections = gauges("casework_database_connections", "Connections of this node to the database")

export const buildInfo = gauges("casework_build_info", "1, with the version that runs")
export const cpuSeconds = counters("process_cpu_seconds_total", "Processor time used")
export const residentMemory = gauges("process_resident_memory_bytes", "Memory that the process holds")
export const heapUsed = gauges("nodejs_heap_used_bytes", "Memory in use by JavaScript")
export const startTime = gauges("process_start_time_seconds", "When the process began, since 1970")
export const eventLoopLag = gauges(
  "nodejs_eventloop_lag_p99_seconds",
  "How late timers were, 99 of 100, since the last look"
)

// Known labels exist from the start: a rate needs a first value, and a dashboard a name.
for (const channel of ["Email", "Chat", "Phone", "WhatsApp"]) {
  for (const outcome of ["sent", "retried", "failed"]) deliveries.add({ channel, outcome }, 0)
}
for (const outcome of ["imported", "skipped", "postponed", "set_aside"]) mails.add({ outcome }, 0)
for (const purpose of AiPurpose.literals) {
  for (const outcome of ["succeeded", "failed", "rejected"]) aiCalls.add({ purpose, outcome }, 0)
  for (const direction of ["input", "output"]) aiTokens.add({ purpose, direction }, 0)
}
for (const reason of ["deadlock", "gone"]) transactionsHindered.add({ reason }, 0)
for (const state of ["busy", "idle", "waiting", "shared"]) databaseConnections.set(0, { state })
for (const who of ["representative", "visitor"]) hubConnections.set(0, { who })
