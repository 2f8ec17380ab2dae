import { channelTypes } from "../../../schema/ChannelTypes.ts"
import type { CustomerRepID } from "../../../schema/Ids.ts"
import type { TicketsQuery } from "../../../schema/Tickets.ts"
import { button, element, icon, listen } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { type Filters, Folder, keepFilters, keptFilters } from "./KeptFilters.ts"
import { emptyState } from "./Labels.ts"

const folders = {
  todo: { name: "To do", query: { isClosed: false, isSpam: false } },
  escalated: { name: "Escalated", query: { status: "Escalated", isSpam: false } },
  pending: { name: "Pending", query: { status: "Pending", isSpam: false } },
  closed: { name: "Closed", query: { isClosed: true, isSpam: false } },
  spam: { name: "Spam", query: { isSpam: true } },
  all: { name: "All", query: {} }
} as const satisfies Readonly<Record<Folder, { readonly name: string; readonly query: TicketsQuery }>>

const searchPause = 250

/** What the inbox shows: a folder, a channel, one's own tickets, the result of a search; and in which order. */
export class InboxFilters {
  readonly view: HTMLElement
  #filters: Filters
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
    () => this.#change({ isMine: !this.#filters.isMine }),
    icon(icons.user)
  )
  readonly #order = button(
    { class: "icon-button order", "aria-label": "Oldest first" },
    () => this.#change({ isOldestFirst: !this.#filters.isOldestFirst }),
    icon(icons.sort)
  )
  readonly #tabs = Folder.literals.map((folder) => ({
    folder,
    node: button({ class: "tab" }, () => this.#change({ folder }), folders[folder].name)
  }))
  readonly #me: CustomerRepID
  readonly #onChange: () => void

  constructor(me: CustomerRepID, onChange: () => void) {
    this.#me = me
    this.#onChange = onChange
    this.#filters = keptFilters(me)
    this.#field.value = this.#filters.search
    let pause: ReturnType<typeof setTimeout> | undefined
    listen(this.#field, {
      input: () => {
        clearTimeout(pause)
        pause = setTimeout(() => {
          // Logging out meanwhile leaves nothing behind.
          if (this.view.isConnected) this.#change({ search: this.#field.value.trim() })
        }, searchPause)
      }
    })
    listen(this.#channel, {
      change: () => this.#change({ channelType: channelTypes.find((type) => type === this.#channel.value) })
    })
    this.view = element(
      "div",
      { class: "filters" },
      element("div", { class: "search" }, icon(icons.search), this.#field, this.#channel, this.#mine, this.#order),
      element("div", { class: "tabs", role: "group", "aria-label": "Folder" }, ...this.#tabs.map(({ node }) => node))
    )
    this.#render()
  }

  /** Moves the focus to the current folder. */
  focus() {
    this.#tabs.find(({ folder }) => folder === this.#filters.folder)?.node.focus()
  }

  get isOldestFirst() {
    return this.#filters.isOldestFirst
  }

  get query(): TicketsQuery {
    const { channelType, folder, isMine, isOldestFirst, search } = this.#filters
    return {
      ...folders[folder].query,
      ...(channelType !== undefined && { channelType }),
      ...(isMine && { customerRepID: this.#me }),
      ...(search !== "" && { search }),
      sortBy: "lastMessageDate",
      sortOrder: isOldestFirst ? "asc" : "desc"
    }
  }

  /** What is shown when no ticket matches, with a way to see more. */
  get empty() {
    const { channelType, folder, isMine, search } = this.#filters
    const inFolder = folder === "all" ? "" : ` in ${folders[folder].name}`
    const onChannel = channelType === undefined ? "" : ` from ${channelType}`
    const toMe = isMine ? " assigned to you" : ""
    const isNarrow = folder !== "all" || channelType !== undefined || isMine
    const more = isNarrow ? [button({ class: "secondary" }, () => this.#widen(), "Search all tickets")] : []
    if (search !== "") {
      const text = `No tickets${toMe}${inFolder}${onChannel} match “${search}”.`
      return { looks: text, make: () => emptyState("search", "No results", text, ...more) }
    }
    const text = `There are no tickets${toMe}${inFolder}${onChannel}. New ones appear automatically.`
    return { looks: text, make: () => emptyState("inbox", "No tickets", text) }
  }

  #render() {
    const { channelType, folder: chosen, isMine, isOldestFirst } = this.#filters
    for (const { folder, node } of this.#tabs) node.setAttribute("aria-pressed", String(folder === chosen))
    this.#channel.value = channelType ?? ""
    this.#mine.setAttribute("aria-pressed", String(isMine))
    this.#mine.title = isMine
      ? "Tickets assigned to me. Click for everybody's."
      : "Everybody's tickets. Click for those assigned to me."
    this.#order.setAttribute("aria-pressed", String(isOldestFirst))
    this.#order.title = isOldestFirst
      ? "Oldest first. Click for newest first."
      : "Newest first. Click for oldest first."
  }

  #change(changed: Partial<Filters>) {
    this.#filters = { ...this.#filters, ...changed }
    keepFilters(this.#me, this.#filters)
    this.#render()
    this.#onChange()
  }

  #widen() {
    this.#field.focus()
    this.#change({ folder: "all", channelType: undefined, isMine: false })
  }
}
