import type { CustomerRepID, TicketID } from "../../../schema/Ids.ts"
import type { Ticket, TicketBulk } from "../../../schema/Tickets.ts"
import { button, element, icon, say } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import { makeKeyed } from "../dom/Keyed.ts"
import { type Client, run, wordsFor } from "./Client.ts"
import { Problem } from "./Problem.ts"
import { isStillClosed, isStillSpam, wasEscalated } from "./TakingBack.ts"
import { toast } from "./Toast.ts"

type Change = Omit<TicketBulk, "ticketIDs">

/** How to undo a command for those tickets that it has changed and nobody else since. */
interface Undo {
  readonly name: string
  readonly before: ReadonlyArray<Ticket>
  readonly isAsMade: (before: Ticket, now: Ticket) => boolean
  readonly change: Change
  readonly done: (tickets: string) => string
}

interface Command {
  /** The same for a command and its opposite: the focus stays where one takes the place of the other. */
  readonly place: "closing" | "spam" | "assigning"
  readonly name: string
  readonly change: Change
  readonly done: (tickets: string) => string
  readonly undo?: (chosen: ReadonlyArray<Ticket>) => Undo
}

const inWords = (count: number) => (count === 1 ? "1 ticket" : `${count} tickets`)

const idsOf = (tickets: ReadonlyArray<Ticket>) => tickets.map(({ ticketID }) => ticketID)

/** All of them become plain open tickets, so this is called an undo only if they were. */
const undoClosing = (chosen: ReadonlyArray<Ticket>): Undo => {
  const before = chosen.filter(({ isClosed }) => !isClosed)
  return {
    name: before.every(({ status }) => status === "Open") ? "Undo" : "Reopen as Open",
    before,
    isAsMade: isStillClosed,
    change: { action: "reopen" },
    done: (tickets) => `${tickets} reopened.`
  }
}

const undoSpam = (chosen: ReadonlyArray<Ticket>): Undo => {
  const before = chosen.filter(({ isSpam }) => !isSpam)
  const rest = before.some(wasEscalated) ? " None is escalated any longer." : ""
  return {
    name: "Undo",
    before,
    isAsMade: isStillSpam,
    change: { action: "notSpam" },
    done: (tickets) => `${tickets} moved out of spam.${rest}`
  }
}

/** What makes sense for these tickets. */
const commandsFor = (chosen: ReadonlyArray<Ticket>, me: CustomerRepID): ReadonlyArray<Command> => [
  chosen.every(({ isClosed }) => isClosed)
    ? { place: "closing", name: "Reopen", change: { action: "reopen" }, done: (tickets) => `${tickets} reopened.` }
    : {
        place: "closing",
        name: "Close",
        change: { action: "close" },
        done: (tickets) => `${tickets} closed.`,
        undo: undoClosing
      },
  chosen.every(({ isSpam }) => isSpam)
    ? {
        place: "spam",
        name: "Not spam",
        change: { action: "notSpam" },
        done: (tickets) => `${tickets} moved out of spam.`
      }
    : {
        place: "spam",
        name: "Spam",
        change: { action: "spam" },
        done: (tickets) => `${tickets} moved to spam.`,
        undo: undoSpam
      },
  {
    place: "assigning",
    name: "Assign to me",
    change: { action: "assign", customerRepID: me },
    done: (tickets) => `${tickets} assigned to you.`
  }
]

/** The tickets that are selected in the list, and the bar with what can be done with all of them at once. */
export class Selection {
  readonly view = element("div", { class: "selection", role: "group", "aria-label": "Selected tickets", hidden: true })
  readonly #count = element("span", { class: "selected", role: "status" })
  readonly #all = button({ class: "quiet" }, () => this.#chooseAll())
  readonly #commands = element("div", { class: "commands" })
  readonly #showCommands = makeKeyed(this.#commands)
  #shown: ReadonlyArray<Ticket> = []
  #chosen = new Set<TicketID>()
  #last: TicketID | undefined
  #isBusy = false
  readonly #client: Client
  readonly #me: CustomerRepID
  readonly #onChosen: () => void
  readonly #onChanged: (ticketIDs: ReadonlyArray<TicketID>) => void

  constructor(
    client: Client,
    me: CustomerRepID,
    handlers: {
      /** Called when other tickets are selected. */
      readonly onChosen: () => void
      /** Called when these tickets may have changed. */
      readonly onChanged: (ticketIDs: ReadonlyArray<TicketID>) => void
    }
  ) {
    this.#client = client
    this.#me = me
    this.#onChosen = handlers.onChosen
    this.#onChanged = handlers.onChanged
    const clear = button(
      { class: "icon-button", "aria-label": "Clear the selection", title: "Clear the selection" },
      () => this.clear(),
      icon(icons.close)
    )
    this.view.append(this.#count, this.#all, clear, this.#commands)
  }

  has(ticketID: TicketID) {
    return this.#chosen.has(ticketID)
  }

  get isEmpty() {
    return this.#chosen.size === 0
  }

  /** A ticket that is no longer in the list is no longer selected: nothing happens to what nobody sees. */
  update(shown: ReadonlyArray<Ticket>) {
    this.#shown = shown
    const chosen = shown.filter(({ ticketID }) => this.#chosen.has(ticketID))
    this.#chosen = new Set(chosen.map(({ ticketID }) => ticketID))
    this.view.hidden = chosen.length === 0
    say(this.#count, chosen.length === 0 ? undefined : `${chosen.length} selected`)
    say(this.#all, `Select all ${shown.length}`)
    this.#all.setAttribute("aria-disabled", String(chosen.length === shown.length))
    this.#showCommands(
      commandsFor(chosen, this.#me).map(({ change: { action }, name, place }) => ({
        key: place,
        looks: name,
        make: () => button({ class: "secondary" }, () => void this.#carryOut(action), name)
      }))
    )
  }

  /** Selects a ticket or not; `through` also all between it and the one before. */
  choose(ticketID: TicketID, isChosen: boolean, through: boolean) {
    const ids = this.#shown.map((ticket) => ticket.ticketID)
    const at = ids.indexOf(ticketID)
    const before = this.#last === undefined ? -1 : ids.indexOf(this.#last)
    const range = through && before >= 0 ? ids.slice(Math.min(at, before), Math.max(at, before) + 1) : [ticketID]
    for (const id of range) {
      if (isChosen) this.#chosen.add(id)
      else this.#chosen.delete(id)
    }
    this.#last = ticketID
    this.#onChosen()
  }

  clear() {
    this.#chosen.clear()
    this.#last = undefined
    this.#onChosen()
  }

  #chooseAll() {
    for (const { ticketID } of this.#shown) this.#chosen.add(ticketID)
    this.#onChosen()
  }

  /** Looks again at what is selected: it may be more by now than when the button was made. */
  async #carryOut(action: Change["action"]) {
    const chosen = this.#shown.filter(({ ticketID }) => this.#chosen.has(ticketID))
    const command = commandsFor(chosen, this.#me).find(({ change }) => change.action === action)
    if (command === undefined || this.#isBusy) return
    this.#isBusy = true
    const ticketIDs = idsOf(chosen)
    const undo = command.undo?.(chosen)
    try {
      await this.#change(ticketIDs, command.change)
      toast(command.done(inWords(chosen.length)), undo && { name: undo.name, run: () => void this.#takeBack(undo) })
      this.clear()
    } catch (error) {
      toast(wordsFor(error))
    }
    this.#isBusy = false
    this.#onChanged(ticketIDs)
  }

  async #takeBack(undo: Undo) {
    try {
      const now = await this.#readAgain(undo.before)
      const asMade = undo.before.filter((before) => {
        const one = now.get(before.ticketID)
        return one !== undefined && undo.isAsMade(before, one)
      })
      const closed = asMade.filter((before) => !before.isClosed && now.get(before.ticketID)?.isClosed === true)
      if (asMade.length > 0) await this.#change(idsOf(asMade), undo.change)
      // An automation may have closed what was marked as spam.
      if (undo.change.action === "notSpam" && closed.length > 0) await this.#change(idsOf(closed), { action: "reopen" })
      const changed = undo.before.length - asMade.length
      toast(
        [
          asMade.length > 0 ? undo.done(inWords(asMade.length)) : "Nothing was undone.",
          ...(changed > 0 ? [`${inWords(changed)} changed in the meantime.`] : [])
        ].join(" ")
      )
    } catch (error) {
      toast(wordsFor(error))
    }
    this.#onChanged(idsOf(undo.before))
  }

  /** The tickets as they are now; one that was deleted is not among them. */
  async #readAgain(tickets: ReadonlyArray<Ticket>) {
    const found = await Promise.all(
      tickets.map(({ ticketID }) =>
        run(this.#client.tickets.getTicket({ path: { id: ticketID } })).catch((error: unknown) => {
          if (error instanceof Problem && error.status === 404) return undefined
          throw error
        })
      )
    )
    return new Map(found.flatMap((ticket) => (ticket === undefined ? [] : [[ticket.ticketID, ticket] as const])))
  }

  #change(ticketIDs: ReadonlyArray<TicketID>, change: Change) {
    return run(this.#client.tickets.bulkUpdateTickets({ payload: { ...change, ticketIDs } }))
  }
}
