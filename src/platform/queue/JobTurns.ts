import type { CustomerID } from "../../../schema/Ids.ts"
import { ranks } from "./JobRank.ts"
import type { ClaimedJob, JobSearch } from "./NextJob.ts"

// Many workers, since work mostly waits for other services. A customer never has all of them, so that the next one need
// not wait.
export const workers = 16
export const workersOfCustomer = 8

// A model may take minutes, or hang. Jobs that ask one never have all workers either, so that mail goes out whatever
// models do. A customer may ask few at once (AiLimits); one worker more keeps all of those busy.
export const workersWhoAsk = 12
export const askingWorkersOfCustomer = 5

// Work that keeps the processor busy runs one job at a time: more at once would only make requests wait.
const workersWhenBusy = 1
const busyLoad = 0.6

// Old work waits until there is nothing else to do, but not forever: in any case one such job may start this often
// (ms).
export const oldWorkPause = 1000

type Turn = Pick<ClaimedJob, "customerID" | "rank" | "asksModels">

/** What is under way on a node, and whose turn was last. */
export interface JobTurns {
  /** The number of running jobs of each customer that has any. */
  readonly running: ReadonlyMap<CustomerID, number>
  /** The number of running jobs that may ask a model, of each customer that has any. */
  readonly asking: ReadonlyMap<CustomerID, number>
  readonly total: number
  readonly totalAsking: number
  readonly oldOnes: number
  readonly lastServed: number
  /** When old work was last started, in milliseconds. */
  readonly oldWorkAt: number
}

export const noTurns: JobTurns = {
  running: new Map(),
  asking: new Map(),
  total: 0,
  totalAsking: 0,
  oldOnes: 0,
  lastServed: 0,
  oldWorkAt: Number.NEGATIVE_INFINITY
}

const withCount = (running: JobTurns["running"], customerID: CustomerID, change: 1 | -1) => {
  const count = (running.get(customerID) ?? 0) + change
  const others = [...running].filter(([other]) => other !== customerID)
  return new Map(count > 0 ? [...others, [customerID, count]] : others)
}

export const begin = (turns: JobTurns, { asksModels, customerID, rank }: Turn, now: number): JobTurns => ({
  running: withCount(turns.running, customerID, 1),
  asking: asksModels ? withCount(turns.asking, customerID, 1) : turns.asking,
  total: turns.total + 1,
  totalAsking: turns.totalAsking + (asksModels ? 1 : 0),
  oldOnes: turns.oldOnes + (rank === ranks.old ? 1 : 0),
  lastServed: customerID,
  oldWorkAt: rank === ranks.old ? now : turns.oldWorkAt
})

export const end = (turns: JobTurns, { asksModels, customerID, rank }: Turn): JobTurns => ({
  ...turns,
  running: withCount(turns.running, customerID, -1),
  asking: asksModels ? withCount(turns.asking, customerID, -1) : turns.asking,
  total: turns.total - 1,
  totalAsking: turns.totalAsking - (asksModels ? 1 : 0),
  oldOnes: turns.oldOnes - (rank === ranks.old ? 1 : 0)
})

/** Whether a customer has as many workers as it may have. */
export const hasEnough = ({ running }: JobTurns, customerID: CustomerID) =>
  (running.get(customerID) ?? 0) >= workersOfCustomer

const asksEnough = ({ asking }: JobTurns, customerID: CustomerID) =>
  (asking.get(customerID) ?? 0) >= askingWorkersOfCustomer

/** Whether other jobs may be waiting for this one to end. */
export const standsInTheWay = (turns: JobTurns, { asksModels, customerID }: Turn) =>
  hasEnough(turns, customerID) || (asksModels && (turns.totalAsking >= workersWhoAsk || asksEnough(turns, customerID)))

/** Whether other jobs wait for a worker that this customer has. */
export const isCrowded = (turns: JobTurns, customerID: CustomerID) =>
  turns.total >= workers || hasEnough(turns, customerID)

/** Whether more work at once would only make requests wait; the load is from 0 to 1. */
export const isBusy = ({ total }: JobTurns, load: number) => total >= workersWhenBusy && load > busyLoad

/** Which jobs may be next. */
export const nextTurn = (turns: JobTurns, load: number, now: number): Omit<JobSearch, "kinds"> => ({
  behind: turns.lastServed,
  without: [...turns.running.keys()].filter((customerID) => hasEnough(turns, customerID)),
  mayAsk: turns.totalAsking < workersWhoAsk,
  askingEnough: [...turns.asking.keys()].filter((customerID) => asksEnough(turns, customerID)),
  withOld: (turns.total === turns.oldOnes && !isBusy(turns, load)) || now - turns.oldWorkAt > oldWorkPause
})
