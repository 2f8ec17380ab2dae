import type { EndUser } from "../../../schema/EndUsers.ts"
import type { CustomerRepID, EndUserID } from "../../../schema/Ids.ts"
import type { CustomerRep } from "../../../schema/Representatives.ts"
import { type Client, run } from "./Client.ts"
import { allOf } from "./Lists.ts"
import { Problem } from "./Problem.ts"

const atOnce = 4

/** Representatives and end users, each loaded once. */
export class People {
  #representatives: ReadonlyArray<CustomerRep> = []
  #isAskingForAll = false
  /** Assignees who are in no list of representatives, however often it is loaded. */
  readonly #strangers = new Set<CustomerRepID | null>()
  readonly #endUsers = new Map<EndUserID, EndUser | undefined>()
  readonly #wanted: Array<EndUserID> = []
  #asking = 0
  /** The representative at this desk. */
  readonly me: CustomerRepID
  readonly #client: Client
  readonly #onNews: () => void

  constructor(client: Client, me: CustomerRepID, onNews: () => void) {
    this.#client = client
    this.me = me
    this.#onNews = onNews
  }

  /** Who a ticket is assigned to, as a word in a line; undefined when nobody is. */
  assignee(assigned: CustomerRepID | null) {
    if (assigned === null) return undefined
    if (assigned === this.me) return "You"
    return this.representativesFor(assigned).find(({ customerRepID }) => customerRepID === assigned)?.name
  }

  /**
   * The representatives whom a ticket may be assigned to, and its current assignee: one who is unknown is looked up and
   * shown as a number until then.
   */
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
      // The next ticket that is shown asks again.
    } finally {
      this.#isAskingForAll = false
    }
  }

  /** Returns an end user who is known already; any other is loaded, and `onNews` is called later. */
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
        // The ticket is shown without the name. The next time it is shown asks again, unless the end user does not
        // exist.
        if (!(error instanceof Problem && error.status === 404)) this.#endUsers.delete(next)
      }
    }
    this.#asking--
  }
}
