import { Option, Schema } from "effect"
import { TicketID } from "../../../schema/Ids.ts"
import { button, element, icon, say } from "../dom/Element.ts"
import { icons } from "../dom/Icons.ts"
import type { HubState } from "../hub/HubClient.ts"
import { clearChosenFiles } from "./ChosenFiles.ts"
import { makeClient, run } from "./Client.ts"
import { closeDialogs } from "./Dialog.ts"
import { askToLogOut } from "./Dialogs.ts"
import { Inbox } from "./Inbox.ts"
import { forgetFilters } from "./KeptFilters.ts"
import { makeLive } from "./Live.ts"
import { People } from "./People.ts"
import type { Session } from "./Session.ts"
import { shareSession } from "./Tabs.ts"
import { TicketPane } from "./TicketPane.ts"
import { toastRegion } from "./Toast.ts"
import { UnsentTexts } from "./Unsent.ts"

const stateWords: Readonly<Record<HubState, string>> = {
  stopped: "Offline",
  connecting: "Connecting…",
  connected: "Live",
  waiting: "Offline. Reconnecting…"
}

const restingTitle = document.title

const toTicketID = Schema.decodeUnknownOption(TicketID)

const chosenTicket = () =>
  Option.getOrUndefined(toTicketID(Number(/^#\/tickets\/(\d+)$/.exec(location.hash)?.[1] ?? Number.NaN)))

/** The desk after the login: the inbox, the ticket, and what keeps both up to date. */
export const makeDesk = (session: Session, onLeave: (notice?: string) => void) => {
  const client = makeClient({
    token: session.token,
    onRefused: () => leave("Your session is no longer valid. Please log in again.")
  })
  const people = new People(client, session.customerRepID, () => {
    inbox.render()
    pane.render()
  })
  const connection = element("span", { class: "connection", role: "status" })
  const customer = element("span", { class: "customer" })

  /** Says in the browser's tab, which may be in the background, how many tickets have news and which one is open. */
  const retitle = () => {
    const ticketID = chosenTicket()
    document.title = [fresh > 0 && `(${fresh})`, ticketID !== undefined && `#${ticketID}`, restingTitle]
      .filter((part) => part !== false)
      .join(" ")
  }
  let fresh = 0

  const loadSoon = (ticketID: number) => {
    inbox.turns.soon()
    if (ticketID === pane.ticketID) pane.turns.soon()
  }
  let wasBroken = false

  const live = makeLive(session.token, {
    onState: (state) => {
      // A new attempt to connect is no news: the last state still holds.
      if (state !== "connecting" || !wasBroken) {
        say(connection, stateWords[state])
        connection.dataset["state"] = state
      }
      if (state === "waiting") {
        wasBroken = true
        // What no event tells is looked up with each attempt: perhaps only web sockets do not get through.
        for (const { turns } of [inbox, pane]) turns.soon()
      }
      if (state !== "connected") return
      live.joinAgain()
      // Loads what was missed while disconnected. Requests made on a broken connection may never be answered, so they
      // are not waited for.
      for (const { turns } of [inbox, pane]) {
        if (wasBroken) turns.anew()
        else turns.soon()
      }
      if (wasBroken) pane.reply.tasks.forgetUnreachable()
      wasBroken = false
    },
    onMessage: ({ ticketID }) => {
      inbox.markFresh(ticketID)
      loadSoon(ticketID)
    },
    onTicket: ({ ticketID }) => loadSoon(ticketID),
    onTyping: (typing) => pane.noteTyping(typing)
  })

  const inbox = new Inbox(client, people, session.customerRepID, {
    onChosenAgain: () => pane.loadAgain(),
    onFresh: (count) => {
      fresh = count
      retitle()
    },
    onChanged: (ticketIDs) => {
      if (ticketIDs.some((ticketID) => ticketID === pane.ticketID)) pane.turns.soon()
    }
  })
  const unsent = new UnsentTexts(session.customerRepID)
  const pane = new TicketPane(client, people, live, unsent, () => inbox.turns.now())

  const stop = () => {
    live.stop()
    inbox.turns.stop()
    pane.stop()
    tabs.stop()
    clearTimeout(expiry)
    clearInterval(clock)
    removeEventListener("hashchange", follow)
  }
  let hasLeft = false
  const leave = (notice?: string) => {
    if (hasLeft) return
    hasLeft = true
    stop()
    closeDialogs()
    document.title = restingTitle
    onLeave(notice)
  }
  const tabs = shareSession(session, () => leave("You have logged out in another tab."))
  // Logging out leaves nothing behind; a session that ends by itself does not cost the text being written.
  const logOut = () => {
    tabs.end()
    unsent.clear()
    clearChosenFiles(client, session.customerRepID)
    forgetFilters(session.customerRepID)
    leave()
  }
  const expiry = setTimeout(
    () => leave("Your session has expired. Please log in again."),
    Math.min(session.expiresAt - Date.now(), 2 ** 31 - 1)
  )
  // Relative times in the list change by themselves, and so does which day is today.
  const clock = setInterval(() => {
    inbox.render()
    pane.render()
  }, 60_000)

  const follow = () => {
    const ticketID = chosenTicket()
    const before = pane.ticketID
    if (ticketID !== before) {
      // A dialog about one ticket must not stay in front of another.
      closeDialogs()
      pane.show(ticketID)
    }
    inbox.select(ticketID)
    view.classList.toggle("has-ticket", ticketID !== undefined)
    if (ticketID === undefined && before !== undefined) inbox.focus(before)
  }

  const view = element(
    "div",
    { class: "desk" },
    element(
      "header",
      { class: "bar" },
      element(
        "p",
        { class: "brand" },
        element("span", { class: "glyph", "aria-hidden": "true" }),
        "Casework",
        customer
      ),
      connection,
      element("span", { class: "me" }, icon(icons.user), session.username),
      button(
        { class: "icon-button", "aria-label": "Log out", title: "Log out" },
        () => askToLogOut(unsent, logOut),
        icon(icons.leave)
      )
    ),
    element("main", {}, inbox.view, pane.view),
    toastRegion
  )

  const nameCustomer = async () => {
    const { name } = await run(client.customers.getCustomer())
    customer.textContent = name
  }

  addEventListener("hashchange", follow)
  // Names are a convenience: the desk works without them.
  nameCustomer().catch(() => undefined)
  inbox.turns.now()
  live.start()
  follow()
  return view
}
