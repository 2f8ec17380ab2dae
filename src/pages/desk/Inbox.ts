import type { TicketID } from "../../../schema/Ids.ts"
import type { Ticket, TicketsQuery } from "../../../schema/Tickets.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed, type Part } from "../dom/Keyed.ts"
import { type Client, run, waitFor, wordsFor } from "./Client.ts"
import { type InboxRow, makeInboxRow } from "./InboxRow.ts"
import { emptyState, personName, skeleton } from "./Labels.ts"
import type { People } from "./People.ts"
import { Turns } from "./Turns.ts"

const folders = {
  todo: { name: "To do", query: { isClosed: false, isSpam: false } },
  escalated: { name: "Escalated", query: { status: "Escalated", isSpam: false } },
  pending: { name: "Pending", query: { status: "Pending", isSpam: false } },
  closed: { name: "Closed", query: { isClosed: true, isSpam: false } },
  spam: { name: "Spam", query: { isSpam: true } }
} as const satisfies Readonly<Record<string, { readonly name: string; readonly query: TicketsQuery }>>

type Folder = keyof typeof folders

const folderNames = Object.entries(folders).map(([folder, { name }]) => [folder, name] as const)

const channelTypes = ["Email", "Chat", "Phone", "WhatsApp"] as const

const isFolder = (value: string): value is Folder => value in folders

const pageSize = 30
const most = 200

/** The list on the left: folders, search and tickets, newest first. */
export class Inbox {
  readonly view: HTMLElement
  tickets: ReadonlyArray<Ticket> = []
  #folder: Folder = "todo"
  #channelType: (typeof channelTypes)[number] | undefined
  #search = ""
  #pages = 1
  #total = 0
  #problem: string | undefined
  #isLoading = true
  #selected: TicketID | undefined
  readonly turns = new Turns((isNews) => this.#load(isNews))
  readonly #fresh = new Set<TicketID>()
  readonly #list = element("ul", { class: "tickets", "aria-label": "Tickets" })
  readonly #rest = element("div", { class: "rest" })
  readonly #tabs = folderNames.map(([folder, name]) => ({
    folder,
    node: button({ class: "tab" }, () => this.#choose(folder), name)
  }))
  #rows = new Map<TicketID, InboxRow>()
  readonly #showRows = makeKeyed(this.#list)
  readonly #showRest = makeKeyed(this.#rest)
  readonly #client: Client
  readonly #people: People

  constructor(client: Client, people: People, onChosenAgain: () => void) {
    this.#client = client
    this.#people = people
    listen(this.#list, {
      click: ({ target }) => {
        // The address does not change then, so nothing else would notice.
        if (target instanceof Element && target.closest("[aria-current]") !== null) onChosenAgain()
      }
    })
    this.view = element(
      "section",
      { class: "inbox", "aria-label": "Inbox" },
      this.#filters(),
      element("div", { class: "scroll" }, this.#list, this.#rest)
    )
    this.render()
  }

  select(ticketID: TicketID | undefined) {
    this.#selected = ticketID
    if (ticketID !== undefined) this.#fresh.delete(ticketID)
    this.render()
  }

  /** Highlights a ticket with news until it is opened. */
  markFresh(ticketID: TicketID) {
    if (ticketID !== this.#selected) this.#fresh.add(ticketID)
  }

  async #load(isNews: () => boolean) {
    try {
      const page = await run(this.#client.tickets.listTickets({ urlParams: this.#query() }))
      if (!isNews()) return
      this.tickets = page.items
      this.#total = page.totalCount
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
    for (const { folder, node } of this.#tabs) node.setAttribute("aria-pressed", String(folder === this.#folder))
    this.#rows = new Map(
      this.tickets.map((ticket) => [ticket.ticketID, this.#rows.get(ticket.ticketID) ?? makeInboxRow(ticket)])
    )
    for (const ticket of this.tickets) {
      this.#rows.get(ticket.ticketID)?.update(ticket, {
        name: personName(ticket, this.#people),
        isFresh: this.#fresh.has(ticket.ticketID),
        isSelected: ticket.ticketID === this.#selected
      })
    }
    this.#showRows([...this.#rows].map(([ticketID, { node }]) => ({ key: `${ticketID}`, looks: "", make: () => node })))
    this.#list.hidden = this.tickets.length === 0
    this.#showRest(this.#below())
  }

  /** Moves the focus back to the chosen ticket, if it is still there. */
  focus(ticketID: TicketID) {
    this.#rows.get(ticketID)?.focus()
  }

  #query(): TicketsQuery {
    return {
      ...folders[this.#folder].query,
      ...(this.#channelType !== undefined && { channelType: this.#channelType }),
      ...(this.#search !== "" && { search: this.#search }),
      sortBy: "lastMessageDate",
      sortOrder: "desc",
      pageSize: Math.min(most, this.#pages * pageSize)
    }
  }

  #filters() {
    const search = element("input", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search messages and people",
      maxlength: 200
    })
    let pause: ReturnType<typeof setTimeout> | undefined
    listen(search, {
      input: () => {
        clearTimeout(pause)
        pause = setTimeout(() => {
          this.#search = search.value.trim()
          this.#startOver()
        }, 250)
      }
    })
    const channel = element(
      "select",
      { "aria-label": "Channel" },
      element("option", { value: "" }, "Channels"),
      ...channelTypes.map((type) => element("option", { value: type }, type))
    )
    listen(channel, {
      change: () => {
        this.#channelType = channelTypes.find((type) => type === channel.value)
        this.#startOver()
      }
    })
    return element(
      "div",
      { class: "filters" },
      element("div", { class: "search" }, icon(icons.search), search, channel),
      element("div", { class: "tabs", role: "group", "aria-label": "Folder" }, ...this.#tabs.map(({ node }) => node))
    )
  }

  #choose(folder: string) {
    if (!isFolder(folder)) return
    this.#folder = folder
    this.#startOver()
  }

  #startOver() {
    this.#pages = 1
    this.#isLoading = true
    this.tickets = []
    this.render()
    this.turns.anew()
  }

  #below(): ReadonlyArray<Part> {
    const below = (looks: string, make: () => HTMLElement) => [{ key: "below", looks, make }]
    const problem = this.#problem
    const search = this.#search
    if (problem !== undefined) {
      return below(`problem ${problem}`, () => {
        const again = button({ class: "secondary" }, () => this.#startOver(), "Try again")
        return emptyState("alert", "The inbox did not load", problem, again)
      })
    }
    if (this.#isLoading) return below("loading", () => skeleton(6))
    if (this.tickets.length === 0) {
      return below(`nothing ${search}`, () =>
        search === ""
          ? emptyState("inbox", "Nothing here", "New messages appear by themselves.")
          : emptyState("search", "No match", `Nothing in this folder matches “${search}”.`)
      )
    }
    if (this.tickets.length >= this.#total) return []
    if (this.tickets.length >= most) {
      const text = `These are the newest ${most} of ${this.#total}. Search finds the others.`
      return below(text, () => element("p", { class: "help" }, text))
    }
    const text = `Show more of ${this.#total}`
    return below(text, () => button({ class: "secondary" }, () => this.#showMore(), text))
  }

  #showMore() {
    this.#pages++
    this.turns.anew()
  }
}
