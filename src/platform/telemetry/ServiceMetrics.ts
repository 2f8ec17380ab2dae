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

export const httpRequests = counters(
  "casework_http_requests_total",
  "Requests responded to, by status; 499: the caller disconnected"
)
export const httpDuration = histograms(
  "casework_http_request_duration_seconds",
  "Time from the request to its response"
)
export const httpActive = gauges("casework_http_requests_active", "Requests in progress")

export const jobs = counters("casework_jobs_total", "Job runs by outcome")
export const jobDuration = histograms("casework_job_duration_seconds", "Duration of a job run")
export const jobsRunning = gauges("casework_jobs_running", "Jobs running on this node")
export const jobsWaiting = gauges("casework_jobs_waiting", "Queued jobs that are due, on all nodes together")
export const jobsOldest = gauges("casework_jobs_oldest_seconds", "How long the oldest queued job has been due")

export const aiCalls = counters("casework_ai_calls_total", "Calls of AI models by outcome")
export const aiTokens = counters("casework_ai_tokens_total", "Tokens sent to and received from AI models")
export const aiDuration = histograms("casework_ai_call_duration_seconds", "Duration of a call of an AI model")

export const mails = counters(
  "casework_mails_total",
  "Incoming mails: imported, skipped as already known, postponed or set aside"
)
export const mailsSetAside = gauges(
  "casework_mails_set_aside",
  "Mails set aside for a person to look at, on all nodes together"
)
export const deliveries = counters("casework_deliveries_total", "Attempts to deliver a message")

export const hubConnections = gauges("casework_hub_connections", "Open hub connections of this node")

export const databaseUp = gauges(
  "casework_database_up",
  "1 if the database responded to the last check and accepts changes"
)
export const transactionsHindered = counters(
  "casework_transactions_hindered_total",
  "Transactions that failed because of another one, by reason: a deadlock, or a row they refer to was just deleted"
)
export const databaseConnections = gauges("casework_database_connections", "Database connections of this node by state")

export const buildInfo = gauges("casework_build_info", "Always 1; its label is the running version")
export const cpuSeconds = counters("process_cpu_seconds_total", "Processor time used")
export const residentMemory = gauges("process_resident_memory_bytes", "Resident memory of the process")
export const heapUsed = gauges("nodejs_heap_used_bytes", "Heap memory in use by JavaScript")
export const startTime = gauges("process_start_time_seconds", "Start time of the process, in seconds since 1970")
export const eventLoopLag = gauges(
  "nodejs_eventloop_lag_p99_seconds",
  "99th percentile of the event loop's delay since the last sample"
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
