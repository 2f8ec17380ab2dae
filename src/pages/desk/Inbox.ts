import { largestBulk } from "../../../schema/Bulk.ts"
import type { CustomerRepID, TicketID } from "../../../schema/Ids.ts"
import { largestPage } from "../../../schema/Paging.ts"
import type { Ticket } from "../../../schema/Tickets.ts"
import { button, element, listen } from "../dom/Element.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { type Client, run, waitFor, wordsFor } from "./Client.ts"
import { InboxFilters } from "./InboxFilters.ts"
import { type InboxRow, makeInboxRow } from "./InboxRow.ts"
import { emptyState, personName, skeleton } from "./Labels.ts"
import { firstOf } from "./Lists.ts"
import type { People } from "./People.ts"
import { Selection } from "./Selection.ts"
import { Turns } from "./Turns.ts"

/**
 * How many tickets are shown at first, and at most: all of them are loaded again when something changes, and all that
 * are selected are changed at once or not at all.
 */
const fewest = 30
const most = largestBulk

/** How many tickets are shown after these: some more, or another full page of the API. */
const moreThan = (shown: number) => {
  const more = shown + fewest < largestPage ? shown + fewest : (Math.floor(shown / largestPage) + 1) * largestPage
  return Math.min(most, more)
}

/** The list on the left: folders, search and tickets. */
export class Inbox {
  readonly view: HTMLElement
  tickets: ReadonlyArray<Ticket> = []
  #wanted = fewest
  #total = 0
  #problem: string | undefined
  #isLoading = true
  #open: TicketID | undefined
  readonly turns = new Turns((isNews) => this.#load(isNews))
  readonly #fresh = new Set<TicketID>()
  readonly #list = element("ul", { class: "tickets", "aria-label": "Tickets" })
  readonly #rest = element("div", { class: "rest" })
  readonly #filters: InboxFilters
  readonly #selection: Selection
  #rows = new Map<TicketID, InboxRow>()
  readonly #showRows = makeKeyed(this.#list)
  readonly #showRest = makeKeyed(this.#rest)
  readonly #client: Client
  readonly #people: People
  readonly #onFresh: (count: number) => void

  constructor(
    client: Client,
    people: People,
    me: CustomerRepID,
    handlers: {
      /** Called when the ticket that is open is chosen once more. */
      readonly onChosenAgain: () => void
      readonly onFresh: (count: number) => void
      /** Called when these tickets have been changed together. */
      readonly onChanged: (ticketIDs: ReadonlyArray<TicketID>) => void
    }
  ) {
    this.#client = client
    this.#people = people
    this.#onFresh = handlers.onFresh
    this.#filters = new InboxFilters(me, () => this.#startOver())
    this.#selection = new Selection(client, me, {
      onChosen: () => this.render(),
      onChanged: (ticketIDs) => {
        this.turns.now()
        handlers.onChanged(ticketIDs)
      }
    })
    listen(this.#list, {
      click: ({ target }) => {
        // The address does not change then, so nothing else would notice.
        if (target instanceof Element && target.closest("[aria-current]") !== null) handlers.onChosenAgain()
      },
      keydown: (event) => this.#walk(event)
    })
    this.view = element(
      "section",
      { class: "inbox", "aria-label": "Inbox" },
      this.#filters.view,
      element("div", { class: "scroll" }, this.#list, this.#rest),
      // Below the list, so that the rows stay where they are.
      this.#selection.view
    )
    listen(this.view, {
      keydown: (event) => {
        if (event.key === "Escape" && !this.#selection.isEmpty) this.#selection.clear()
      }
    })
    this.render()
  }

  select(ticketID: TicketID | undefined) {
    this.#open = ticketID
    if (ticketID !== undefined) this.#fresh.delete(ticketID)
    this.render()
  }

  /** Highlights a ticket with news until it is opened. */
  markFresh(ticketID: TicketID) {
    if (ticketID !== this.#open) this.#fresh.add(ticketID)
  }

  async #load(isNews: () => boolean) {
    try {
      const query = this.#filters.query
      const { items, totalCount } = await firstOf(
        Math.ceil(this.#wanted / largestPage),
        (page) => run(this.#client.tickets.listTickets({ urlParams: { ...query, ...page } })),
        Math.min(largestPage, this.#wanted)
      )
      if (!isNews()) return
      // A ticket that moved down meanwhile is on two pages, and the last page may bring more than is wanted.
      const loaded = new Map(items.map((ticket) => [ticket.ticketID, ticket]))
      this.tickets = [...loaded.values()].slice(0, this.#wanted)
      this.#total = totalCount
      this.#problem = undefined
    } catch (error) {
      if (!isNews()) return
      this.#problem = wordsFor(error)
      this.turns.later(waitFor(error))
    }
    this.#isLoading = false
    this.render()
  }

  render() {
    const wasInBar = this.#selection.view.contains(document.activeElement)
    this.#rows = new Map(
      this.tickets.map((ticket) => [ticket.ticketID, this.#rows.get(ticket.ticketID) ?? this.#makeRow(ticket)])
    )
    this.#selection.update(this.tickets)
    this.#list.classList.toggle("choosing", !this.#selection.isEmpty)
    for (const ticket of this.tickets) {
      this.#rows.get(ticket.ticketID)?.update(ticket, {
        name: personName(ticket, this.#people),
        assignee: this.#people.assignee(ticket.customerRepID),
        isFresh: this.#fresh.has(ticket.ticketID),
        isOpen: ticket.ticketID === this.#open,
        isChosen: this.#selection.has(ticket.ticketID)
      })
    }
    this.#showRows([...this.#rows].map(([ticketID, { node }]) => ({ key: `${ticketID}`, looks: "", make: () => node })))
    this.#list.hidden = this.tickets.length === 0
    this.#showRest(this.#below())
    this.#onFresh(this.tickets.filter(({ ticketID }) => this.#fresh.has(ticketID)).length)
    // The bar disappears with the last selected ticket, and these may leave the list: a focus in it moves to the top.
    if (wasInBar && this.#selection.isEmpty) this.#filters.focus()
  }

  #makeRow(ticket: Ticket) {
    return makeInboxRow(ticket, (ticketID, isChosen, through) => this.#selection.choose(ticketID, isChosen, through))
  }

  /** Moves the focus back to the chosen ticket, if it is still there. */
  focus(ticketID: TicketID) {
    this.#rows.get(ticketID)?.focus()
  }

  /** The arrow keys move the focus from ticket to ticket. */
  #walk(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const links = [...this.#list.querySelectorAll<HTMLElement>(".item")]
    const at = links.findIndex((link) => link.matches(":focus"))
    if (step === undefined || at < 0) return
    event.preventDefault()
    links[at + step]?.focus()
  }

  #startOver() {
    this.#wanted = fewest
    this.#isLoading = true
    this.tickets = []
    this.render()
    this.turns.anew()
  }

  #below(): ReadonlyArray<Part> {
    const below = (looks: string, make: () => HTMLElement) => [{ key: "below", looks, make }]
    const problem = this.#problem
    if (problem !== undefined) {
      return below(`problem ${problem}`, () => {
        const again = button({ class: "secondary" }, () => this.#startOver(), "Try again")
        return emptyState("alert", "Could not load the inbox", problem, again)
      })
    }
    if (this.#isLoading) return below("loading", () => skeleton(6))
    if (this.tickets.length === 0) {
      const { looks, make } = this.#filters.empty
      return below(looks, make)
    }
    if (this.tickets.length >= this.#total) return []
    if (this.#wanted >= most) {
      const text = `Showing the ${this.#filters.isOldestFirst ? "oldest" : "newest"} ${this.tickets.length} of ${this.#total}. Use search to find others.`
      return below(text, () => element("p", { class: "help" }, text))
    }
    const text = `Show more (${this.tickets.length} of ${this.#total})`
    return below(text, () => button({ class: "secondary" }, () => this.#showMore(), text))
  }

  #showMore() {
    this.#wanted = moreThan(this.#wanted)
    this.turns.anew()
  }
}
