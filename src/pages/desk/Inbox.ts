import type { TicketID } from "../../../schema/Ids.ts"
import type { Ticket, TicketsQuery } from "../../../schema/Tickets.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { ago } from "./Format.ts"
import { avatar, emptyState, personName, skeleton, statusChip, topicChips } from "./Labels.ts"
import type { People } from "./People.ts"

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

/** The list on the left: folders, search, and what came in, newest first. */
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
  #asked = 0
  #selected: TicketID | undefined
  readonly #fresh = new Set<TicketID>()
  readonly #list = element("ul", { class: "tickets", "aria-label": "Tickets" })
  readonly #rest = element("div", { class: "rest" })
  readonly #tabs = element("div", { class: "tabs", role: "group", "aria-label": "Folder" })
  readonly #client: Client
  readonly #people: People

  constructor(client: Client, people: People) {
    this.#client = client
    this.#people = people
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

  /** Something happened to it; until it is looked at, it stands out. */
  markFresh(ticketID: TicketID) {
    if (ticketID !== this.#selected) this.#fresh.add(ticketID)
  }

  async load() {
    const asked = ++this.#asked
    try {
      const page = await run(this.#client.tickets.listTickets({ urlParams: this.#query() }))
      if (asked !== this.#asked) return
      this.tickets = page.items
      this.#total = page.totalCount
      this.#problem = undefined
    } catch (error) {
      if (asked !== this.#asked) return
      this.#problem = wordsFor(error)
    }
    this.#isLoading = false
    this.render()
  }

  render() {
    this.#tabs.replaceChildren(
      ...folderNames.map(([folder, name]) =>
        button({ class: "tab", "aria-pressed": String(folder === this.#folder) }, () => this.#choose(folder), name)
      )
    )
    this.#list.replaceChildren(...this.tickets.map((ticket) => this.#item(ticket)))
    this.#list.hidden = this.tickets.length === 0
    this.#rest.replaceChildren(...this.#below())
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
      this.#tabs
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
    void this.load()
  }

  #item(ticket: Ticket) {
    const name = personName(ticket, this.#people)
    const isFresh = this.#fresh.has(ticket.ticketID)
    return element(
      "li",
      {},
      element(
        "a",
        {
          class: `item${isFresh ? " fresh" : ""}`,
          href: `#/tickets/${ticket.ticketID}`,
          "aria-current": ticket.ticketID === this.#selected ? "true" : undefined
        },
        avatar(name, ticket.channelType),
        element(
          "span",
          { class: "lines" },
          element(
            "span",
            { class: "top" },
            element("span", { class: "name" }, name),
            isFresh && element("span", { class: "unseen" }, "New activity"),
            element("span", { class: "when" }, ago(ticket.lastMessageDate ?? ticket.dateCreated))
          ),
          element("span", { class: "subject" }, ticket.subject ?? "No subject"),
          element(
            "span",
            { class: "chips" },
            (ticket.status !== "Open" || ticket.isSpam) && statusChip(ticket),
            ...topicChips(ticket.topics, 2)
          )
        )
      )
    )
  }

  #below(): ReadonlyArray<Node> {
    if (this.#problem !== undefined) {
      const again = button({ class: "secondary" }, () => this.#startOver(), "Try again")
      return [emptyState("alert", "The inbox did not load", this.#problem, again)]
    }
    if (this.#isLoading) return [skeleton(6)]
    if (this.tickets.length === 0) {
      return [
        this.#search === ""
          ? emptyState("inbox", "Nothing here", "New messages appear by themselves.")
          : emptyState("search", "No match", `Nothing in this folder matches “${this.#search}”.`)
      ]
    }
    if (this.tickets.length >= this.#total) return []
    if (this.tickets.length >= most) {
      return [
        element("p", { class: "help" }, `These are the newest ${most} of ${this.#total}. Search finds the others.`)
      ]
    }
    return [
      button(
        { class: "secondary" },
        () => {
          this.#pages++
          void this.load()
        },
        `Show more of ${this.#total}`
      )
    ]
  }
}
