import { Effect, Option } from "effect"
import { TooManyRequests } from "../../schema/Errors.ts"
import type { HubLimits } from "../platform/settings/Settings.ts"
import type { HubCaller } from "./HubClients.ts"

const comeBackAfterSeconds = 10

interface Guest {
  readonly caller: HubCaller
  readonly address: string
}

/** Counts by key, up to a limit if there is one. */
const makeCounts = (limit: Option.Option<number>) => {
  const counts = new Map<string, number>()
  const of = (key: string) => counts.get(key) ?? 0
  return {
    isFull: (key: string) => Option.exists(limit, (most) => of(key) >= most),
    add: (key: string) => void counts.set(key, of(key) + 1),
    remove: (key: string) => void (of(key) > 1 ? counts.set(key, of(key) - 1) : counts.delete(key))
  }
}

/**
 * Limits the connections to this node per customer and per address. Representatives and visitors are counted
 * separately: however many visitors come, representatives find a place.
 */
export const makeHubPlaces = ({ address: ofAddress, customer: ofCustomer }: HubLimits) => {
  const customers = makeCounts(ofCustomer)
  const addresses = makeCounts(ofAddress)
  const customerKey = ({ caller }: Guest) => `${caller._tag} ${caller.customerID}`

  const check = (guest: Guest) =>
    Effect.suspend(() => {
      if (addresses.isFull(guest.address)) {
        return TooManyRequests.after(comeBackAfterSeconds, "Too many connections are open from this address.")
      }
      return customers.isFull(customerKey(guest))
        ? TooManyRequests.after(comeBackAfterSeconds, "Too many connections are open for this organisation.")
        : Effect.void
    })

  return {
    /** Fails unless there is a place now. */
    check,
    /** Takes a place and returns the effect that gives it back, which may run more than once. */
    take: (guest: Guest) =>
      Effect.map(check(guest), () => {
        addresses.add(guest.address)
        customers.add(customerKey(guest))
        let isTaken = true
        return Effect.sync(() => {
          if (!isTaken) return
          isTaken = false
          addresses.remove(guest.address)
          customers.remove(customerKey(guest))
        })
      })
  }
}
