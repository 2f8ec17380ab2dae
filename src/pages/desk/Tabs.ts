import { Option, Schema } from "effect"
import { CustomerRepID } from "../../../schema/Ids.ts"
import { leaveEverywhere, type Session, sessionOf } from "./Session.ts"

/** What the desk's tabs in one browser tell each other. No other site's pages can listen. */
const News = Schema.Union(
  Schema.TaggedStruct("Wanted", {}),
  Schema.TaggedStruct("Known", { token: Schema.String, expiresAt: Schema.Number }),
  Schema.TaggedStruct("Ended", { customerRepID: CustomerRepID })
)

type News = typeof News.Type

const toNews = Schema.decodeUnknownOption(News)

/** Where the settings of a browser forbid it, each tab is on its own. */
const openLine = (onNews: (news: News) => void) => {
  try {
    const line = new BroadcastChannel("casework-desk")
    line.onmessage = ({ data }: MessageEvent<unknown>) => Option.map(toNews(data), onNews)
    return {
      tell: (news: News) => line.postMessage(news),
      close: () => line.close()
    }
  } catch {
    return { tell: () => undefined, close: () => undefined }
  }
}

/** Locks say at once who is logged in elsewhere, and end with their tab. They exist on secure pages only. */
const locks: LockManager | undefined = navigator.locks

const lockOf = "casework-desk:"

const namesElsewhere = async () => {
  const { held = [] } = (await locks?.query().catch(() => undefined)) ?? {}
  return new Set(held.flatMap(({ name = "" }) => (name.startsWith(lockOf) ? [name] : [])))
}

/** Longer than any tab is busy. */
const patience = 30_000

/**
 * The session of the browser's other tabs, so that a ticket can be opened in a tab of its own. None if different people
 * are logged in there: it would be anybody's guess who opened this one.
 */
export const sessionElsewhere = async (): Promise<Session | undefined> => {
  if ((await namesElsewhere()).size !== 1) return undefined
  return await new Promise((resolve) => {
    const end = (session?: Session) => {
      line.close()
      resolve(session)
    }
    const line = openLine((news) => {
      if (news._tag === "Known") end(sessionOf(news.token, news.expiresAt))
    })
    setTimeout(end, patience)
    line.tell({ _tag: "Wanted" })
  })
}

/** Shares a session with the browser's other tabs, until it is stopped or its person logs out in any of them. */
export const shareSession = ({ customerRepID, expiresAt, token }: Session, onEnded: () => void) => {
  const line = openLine((news) => {
    if (news._tag === "Wanted") line.tell({ _tag: "Known", token, expiresAt })
    else if (news._tag === "Ended" && news.customerRepID === customerRepID) onEnded()
  })
  const stopped = new AbortController()
  const untilStopped = new Promise((resolve) => stopped.signal.addEventListener("abort", resolve))
  locks?.request(`${lockOf}${customerRepID}`, { mode: "shared" }, () => untilStopped).catch(() => undefined)
  return {
    stop: () => {
      stopped.abort()
      line.close()
    },
    end: () => {
      leaveEverywhere(customerRepID)
      line.tell({ _tag: "Ended", customerRepID })
    }
  }
}
