import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { CustomerID } from "../../schema/Ids.ts"
import { ranks } from "../../src/platform/queue/JobRank.ts"
import {
  askingWorkersOfCustomer,
  begin,
  end,
  hasEnough,
  isCrowded,
  type JobTurns,
  nextTurn,
  noTurns,
  oldWorkPause,
  standsInTheWay,
  workers,
  workersOfCustomer,
  workersWhoAsk
} from "../../src/platform/queue/JobTurns.ts"

const job = fc.record({
  customerID: fc.integer({ min: 1, max: 4 }).map((id) => CustomerID.make(id)),
  rank: fc.constantFrom(...Object.values(ranks)),
  asksModels: fc.boolean()
})

type Job = Parameters<typeof end>[1]

/** A job that wants to begin, or the number of a running one that ends. */
const steps = fc.array(fc.oneof(job, fc.nat()), { maxLength: 60 })

const mayBegin = (turns: JobTurns, { asksModels, customerID }: Job, now: number) => {
  const { askingEnough, mayAsk, without } = nextTurn(turns, 0, now)
  return !without.includes(customerID) && (!asksModels || (mayAsk && !askingEnough.includes(customerID)))
}

/** Plays a node: it begins only what it may, and never more than it has workers. */
const play = (moves: ReadonlyArray<Job | number>) => {
  let turns: JobTurns = noTurns
  let underWay: ReadonlyArray<Job> = []
  for (const [now, move] of moves.entries()) {
    if (typeof move === "number") {
      const ending = underWay[move % Math.max(1, underWay.length)]
      if (ending === undefined) continue
      turns = end(turns, ending)
      underWay = underWay.filter((other) => other !== ending)
    } else if (underWay.length < workers && mayBegin(turns, move, now)) {
      turns = begin(turns, move, now)
      underWay = [...underWay, move]
    }
  }
  return { turns, underWay }
}

describe("The turns of customers at the workers of a node", () => {
  it("count the running jobs, and forget customers without any", () => {
    fc.assert(
      fc.property(steps, (moves) => {
        const { turns, underWay } = play(moves)
        expect(turns.total).toBe(underWay.length)
        expect(turns.oldOnes).toBe(underWay.filter(({ rank }) => rank === ranks.old).length)
        expect(new Set(turns.running.keys())).toEqual(new Set(underWay.map(({ customerID }) => customerID)))
        for (const [customerID, count] of turns.running) {
          expect(count).toBe(underWay.filter((other) => other.customerID === customerID).length)
        }
      })
    )
  })

  it("leave a worker for others, however much a customer has to do", () => {
    fc.assert(
      fc.property(steps, job, (moves, { customerID }) => {
        const { turns, underWay } = play(moves)
        const own = underWay.filter((other) => other.customerID === customerID).length
        expect(own).toBeLessThanOrEqual(workersOfCustomer)
        expect(hasEnough(turns, customerID)).toBe(own === workersOfCustomer)
        expect(isCrowded(turns, customerID)).toBe(own === workersOfCustomer || underWay.length === workers)
      })
    )
  })

  it("leave workers for jobs that ask no model, and for other customers' jobs that do", () => {
    fc.assert(
      fc.property(steps, job, (moves, next) => {
        const { turns, underWay } = play(moves)
        const asking = underWay.filter(({ asksModels }) => asksModels)
        const own = asking.filter(({ customerID }) => customerID === next.customerID).length
        expect([turns.totalAsking, turns.asking.get(next.customerID) ?? 0]).toEqual([asking.length, own])
        expect(asking.length).toBeLessThanOrEqual(workersWhoAsk)
        expect(own).toBeLessThanOrEqual(askingWorkersOfCustomer)
        // A job that could not begin is retried when a running one ends that stood in its way.
        if (underWay.length < workers && !mayBegin(turns, next, 0)) {
          expect(underWay.some((other) => standsInTheWay(turns, other))).toBe(true)
        }
      })
    )
  })

  it("continue after the customer who was served last", () => {
    fc.assert(
      fc.property(steps, job, (moves, next) => {
        const { turns } = play(moves)
        expect(nextTurn(begin(turns, next, 0), 0, 0).behind).toBe(next.customerID)
      })
    )
  })

  it("go to old work on an idle node without other work, and after a pause in any case", () => {
    fc.assert(
      fc.property(steps, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(5000), (moves, load, later) => {
        const { turns, underWay } = play(moves)
        const { withOld } = nextTurn(turns, load, moves.length + later)
        const isAlone = underWay.every(({ rank }) => rank === ranks.old)
        const isIdle = underWay.length === 0 || load <= 0.6
        expect(withOld).toBe((isAlone && isIdle) || moves.length + later - turns.oldWorkAt > oldWorkPause)
        if (later > oldWorkPause) expect(withOld).toBe(true)
      })
    )
  })
})
