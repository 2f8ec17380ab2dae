import type { CustomerRepID } from "../../../schema/Ids.ts"
import type { TicketsQuery } from "../../../schema/Tickets.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { emptyState } from "./Labels.ts"

const folders = {
  todo: { name: "To do", query: { isClosed: false, isSpam: false } },
  escalated: { name: "Escalated", query: { status: "Escalated", isSpam: false } },
  pending: { name: "Pending", query: { status: "Pending", isSpam: false } },
  closed: { name: "Closed", query: { isClosed: true, isSpam: false } },
  spam: { name: "Spam", query: { isSpam: true } },
  all: { name: "All", query: {} }
} as const satisfies Readonly<Record<string, { readonly name: string; readonly query: TicketsQuery }>>

type Folder = keyof typeof folders

const isFolder = (value: string): value is Folder => value in folders

const channelTypes = ["Email", "Chat", "Phone", "WhatsApp"] as const

const searchPause = 250

/** What the inbox shows: a folder, a channel, one's own tickets, the result of a search; and in which order. */
export class InboxFilters {
  readonly view: HTMLElement
  #folder: Folder = "todo"
  #channelType: (typeof channelTypes)[number] | undefined
  #search = ""
  #isMine = false
  #isOldestFirst = false
  readonly #field = element("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search messages and people",
    maxlength: 200
  })
  readonly #channel = element(
    "select",
    { "aria-label": "Channel" },
    element("option", { value: "" }, "All channels"),
    ...channelTypes.map((type) => element("option", { value: type }, type))
  )
  readonly #mine = button(
    { class: "icon-button mine", "aria-label": "My tickets only" },
    () => {
      this.#isMine = !this.#isMine
      this.#change()
    },
    icon(icons.user)
  )
  readonly #order = button(
    { class: "icon-button order", "aria-label": "Oldest first" },
    () => {
      this.#isOldestFirst = !this.#isOldestFirst
      this.#change()
    },
    icon(icons.sort)
  )
  readonly #tabs = Object.entries(folders).map(([folder, { name }]) => ({
    folder,
    node: button({ class: "tab" }, () => this.#choose(folder), name)
  }))
  readonly #me: CustomerRepID
  readonly #onChange: () => void

  constructor(me: CustomerRepID, onChange: () => void) {
    this.#me = me
    this.#onChange = onChange
    let pause: ReturnType<typeof setTimeout> | undefined
    listen(this.#field, {
      input: () => {
        clearTimeout(pause)
        pause = setTimeout(() => {
          this.#search = this.#field.value.trim()
          onChange()
        }, searchPause)
      }
    })
    listen(this.#channel, {
      change: () => {
        this.#channelType = channelTypes.find((type) => type === this.#channel.value)
        onChange()
      }
    })
    this.view = element(
      "div",
      { class: "filters" },
      element("div", { class: "search" }, icon(icons.search), this.#field, this.#channel, this.#mine, this.#order),
      element("div", { class: "tabs", role: "group", "aria-label": "Folder" }, ...this.#tabs.map(({ node }) => node))
    )
    this.#render()
  }

  get isOldestFirst() {
    return this.#isOldestFirst
  }

  get query(): TicketsQuery {
    return {
      ...folders[this.#folder].query,
      ...(this.#channelType !== undefined && { channelType: this.#channelType }),
      ...(this.#isMine && { customerRepID: this.#me }),
      ...(this.#search !== "" && { search: this.#search }),
      sortBy: "lastMessageDate",
      sortOrder: this.#isOldestFirst ? "asc" : "desc"
    }
  }

  /** What is shown when no ticket matches, with a way to see more. */
  get empty() {
    const { name } = folders[this.#folder]
    const inFolder = this.#folder === "all" ? "" : ` in ${name}`
    const onChannel = this.#channelType === undefined ? "" : ` from ${this.#channelType}`
    const toMe = this.#isMine ? " assigned to you" : ""
    const isNarrow = this.#folder !== "all" || this.#channelType !== undefined || this.#isMine
    const more = isNarrow ? [button({ class: "secondary" }, () => this.#widen(), "Search all tickets")] : []
    if (this.#search !== "") {
      const text = `No tickets${toMe}${inFolder}${onChannel} match “${this.#search}”.`
      return { looks: text, make: () => emptyState("search", "No results", text, ...more) }
    }
    const text = `There are no tickets${toMe}${inFolder}${onChannel}. New ones appear automatically.`
    return { looks: text, make: () => emptyState("inbox", "No tickets", text) }
  }

  #render() {
    for (const { folder, node } of this.#tabs) node.setAttribute("aria-pressed", String(folder === this.#folder))
    this.#mine.setAttribute("aria-pressed", String(this.#isMine))
    this.#mine.title = this.#isMine
      ? "Tickets assigned to me. Click for everybody's."
      : "Everybody's tickets. Click for those assigned to me."
    this.#order.setAttribute("aria-pressed", String(this.#isOldestFirst))
    this.#order.title = this.#isOldestFirst
      ? "Oldest first. Click for newest first."
      : "Newest first. Click for oldest first."
  }

  #choose(folder: string) {
    if (!isFolder(folder)) return
    this.#folder = folder
    this.#change()
  }

  #change() {
    this.#render()
    this.#onChange()
  }

  #widen() {
    this.#channelType = undefined
    this.#channel.value = ""
    this.#isMine = false
    this.#field.focus()
    this.#choose("all")
  }
}
