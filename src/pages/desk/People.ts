import type { EndUser } from "../../../schema/EndUsers.ts"
import type { CustomerRepID, EndUserID } from "../../../schema/Ids.ts"
import type { CustomerRep } from "../../../schema/Representatives.ts"
import { allOf, type Client, Problem, run } from "./Client.ts"

const atOnce = 4

/** Who is who, asked for once each. */
export class People {
  #representatives: ReadonlyArray<CustomerRep> = []
  #isAskingForAll = false
  /** Who is in no list of representatives, however often it is asked for. */
  readonly #strangers = new Set<CustomerRepID | null>()
  readonly #endUsers = new Map<EndUserID, EndUser | undefined>()
  readonly #wanted: Array<EndUserID> = []
  #asking = 0
  readonly #client: Client
  readonly #onNews: () => void

  constructor(client: Client, onNews: () => void) {
    this.#client = client
    this.#onNews = onNews
  }

  /** Whom a ticket may be assigned to, and whom it is assigned to: somebody unknown is asked for and has a number. */
  representativesFor(assigned: CustomerRepID | null) {
    const known = this.#representatives.map(({ customerRepID, name, username }) => ({
      customerRepID,
      name: name ?? username
    }))
    const isKnown = known.some(({ customerRepID }) => customerRepID === assigned)
    if ((known.length === 0 || !(isKnown || assigned === null)) && !this.#strangers.has(assigned)) {
      void this.#askForAll(assigned)
    }
    return isKnown || assigned === null ? known : [...known, { customerRepID: assigned, name: `#${assigned}` }]
  }

  async #askForAll(wanted: CustomerRepID | null) {
    if (this.#isAskingForAll) return
    this.#isAskingForAll = true
    try {
      this.#representatives = await allOf((urlParams) =>
        run(this.#client.representatives.listCustomerReps({ urlParams }))
      )
      this.#strangers.add(wanted)
      this.#onNews()
    } catch {
      // Whoever shows a ticket next asks again.
    } finally {
      this.#isAskingForAll = false
    }
  }

  /** Known already, or asked for now: then the news come later. */
  endUser(endUserID: EndUserID | null): EndUser | undefined {
    if (endUserID === null) return undefined
    if (!this.#endUsers.has(endUserID)) {
      this.#endUsers.set(endUserID, undefined)
      this.#wanted.push(endUserID)
      void this.#ask()
    }
    return this.#endUsers.get(endUserID)
  }

  async #ask() {
    if (this.#asking >= atOnce) return
    this.#asking++
    for (let next = this.#wanted.shift(); next !== undefined; next = this.#wanted.shift()) {
      try {
        this.#endUsers.set(next, await run(this.#client.endUsers.getEndUser({ path: { id: next } })))
        this.#onNews()
      } catch (error) {
        // The ticket shows without the name; who may be there after all is asked for again when it shows next.
        if (!(error instanceof Problem && error.status === 404)) this.#endUsers.delete(next)
      }
    }
    this.#asking--
  }
}
