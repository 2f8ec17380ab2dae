import type { EndUser } from "../../../schema/EndUsers.ts"
import type { CustomerRepID, EndUserID } from "../../../schema/Ids.ts"
import type { CustomerRep } from "../../../schema/Representatives.ts"
import { type Client, run } from "./Client.ts"

const atOnce = 4

/** Who is who, asked for once each. */
export class People {
  representatives: ReadonlyArray<CustomerRep> = []
  readonly #endUsers = new Map<EndUserID, EndUser | undefined>()
  readonly #wanted: Array<EndUserID> = []
  #asking = 0
  readonly #client: Client
  readonly #onNews: () => void

  constructor(client: Client, onNews: () => void) {
    this.#client = client
    this.#onNews = onNews
  }

  async loadRepresentatives() {
    const page = await run(this.#client.representatives.listCustomerReps({ urlParams: { pageSize: 200 } }))
    this.representatives = page.items
    this.#onNews()
  }

  representativeName(customerRepID: CustomerRepID | null) {
    const found = this.representatives.find((one) => one.customerRepID === customerRepID)
    return found === undefined ? undefined : (found.name ?? found.username)
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
    try {
      for (let next = this.#wanted.shift(); next !== undefined; next = this.#wanted.shift()) {
        this.#endUsers.set(next, await run(this.#client.endUsers.getEndUser({ path: { id: next } })))
        this.#onNews()
      }
    } catch {
      // A name that is missing is no reason to stop: the ticket shows without it.
    } finally {
      this.#asking--
    }
  }
}
