import type { TicketMessageID } from "../../schema/Ids.ts"

/** A message of a chat. */
export interface Said {
  readonly ticketMessageID: TicketMessageID
  /** Automation's messages answer what a visitor has just written, so they need not be mailed. */
  readonly by: "visitor" | "person" | "automation"
  readonly text: string
  readonly at: Date
  /** Whether it is to be mailed: an address was known when it went out. */
  readonly isDue: boolean
  /** The job that mails it, if one has taken it. */
  readonly job: string | null
}

/** Answers with no longer pause between them are mailed together, this long after the last one. */
export const quietSeconds = 120

const isSoonAfter = (earlier: Said, later: Said) => later.at.getTime() - earlier.at.getTime() <= quietSeconds * 1000

/**
 * What the job for an answer has to mail: all answers up to that one which are due, which the visitor has not seen and
 * no other job has taken. The answer itself may be deleted by now; those that were left to it are not. Nothing if the
 * visitor has written since, and so has the chat open; nothing either if another answer has followed soon: all are
 * mailed with that one, unless this job has taken its answers already or the later one's job has run.
 */
export const answersToMail = (
  said: ReadonlyArray<Said>,
  answerID: TicketMessageID,
  jobID: string
): ReadonlyArray<Said> => {
  const since = said.slice(said.findLastIndex(({ by }) => by === "visitor") + 1).filter(({ by }) => by === "person")
  const until = since.filter(({ ticketMessageID }) => ticketMessageID <= answerID)
  const mine = until.filter(({ isDue, job }) => isDue && (job === null || job === jobID))
  const last = mine.at(-1)
  if (last === undefined) return []
  if (mine.some(({ job }) => job === jobID)) return mine
  const later = since.filter(({ ticketMessageID }) => ticketMessageID > answerID)
  return later.some((other) => other.isDue && other.job === null && isSoonAfter(last, other)) ? [] : mine
}
