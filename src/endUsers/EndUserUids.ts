import type { EndUserUID, EndUserUIDCreate, EndUserUIDUpdate } from "../../schema/EndUsers.ts"
import type { EndUserUIDID } from "../../schema/Ids.ts"

/** A UID after a change; one that is not stored yet has no id. */
export interface Uid extends Omit<EndUserUID, "EndUserUIDID"> {
  readonly EndUserUIDID: EndUserUIDID | undefined
}

/** Lowercases letter by letter like the database: JavaScript treats Σ by its context, and turns İ into two letters. */
export const lowered = (word: string) =>
  Array.from(word, (letter) => (letter === "İ" ? "i" : letter.toLowerCase())).join("")

export const sameWord = (left: string, right: string) => lowered(left) === lowered(right)

/** Replaces the old UID, or appends the new one. A primary UID demotes the other ones of its type. */
const write = (uids: ReadonlyArray<Uid>, old: Uid | undefined, uid: Uid): ReadonlyArray<Uid> => {
  const others = uids.map((other) =>
    other !== old && uid.IsPrimary && sameWord(other.UIDType, uid.UIDType) ? { ...other, IsPrimary: false } : other
  )
  return old === undefined ? [...others, uid] : others.map((other) => (other === old ? uid : other))
}

/** Links a UID once; if it is linked already, only its type and whether it is primary change. */
export const link = (uids: ReadonlyArray<Uid>, { IsPrimary, UID, UIDType }: EndUserUIDCreate): ReadonlyArray<Uid> => {
  const old = uids.find((uid) => sameWord(uid.UID, UID))
  return write(uids, old, {
    EndUserUIDID: old?.EndUserUIDID,
    UID: old?.UID ?? UID,
    UIDType: UIDType ?? old?.UIDType ?? "Email",
    IsPrimary: IsPrimary ?? old?.IsPrimary ?? false
  })
}

interface Problem {
  readonly path: string
  readonly message: string
}

interface Changed {
  readonly uids: ReadonlyArray<Uid>
  readonly problems: ReadonlyArray<Problem>
}

const changeOne = (uids: ReadonlyArray<Uid>, old: Uid, change: EndUserUIDUpdate) =>
  write(uids, old, {
    EndUserUIDID: old.EndUserUIDID,
    UID: change.UID,
    UIDType: change.UIDType ?? old.UIDType,
    IsPrimary: change.IsPrimary ?? old.IsPrimary
  })

const step = ({ problems, uids }: Changed, change: EndUserUIDUpdate, index: number): Changed => {
  const named = uids.find(({ EndUserUIDID }) => EndUserUIDID !== undefined && EndUserUIDID === change.EndUserUIDID)
  if (change.EndUserUIDID !== undefined && named === undefined) {
    const problem = { path: `UIDs.${index}.EndUserUIDID`, message: "is not one of this end user's UIDs" }
    return { uids, problems: [...problems, problem] }
  }
  if (change.MarkAsDeleted === true) {
    return {
      uids: uids.filter((uid) => uid !== named && (named !== undefined || !sameWord(uid.UID, change.UID))),
      problems
    }
  }
  return { uids: named === undefined ? link(uids, change) : changeOne(uids, named, change), problems }
}

/** Applies the changes in order. If the result has the same UID twice, that is a problem of the whole list. */
export const changeUids = (stored: ReadonlyArray<Uid>, changes: ReadonlyArray<EndUserUIDUpdate>): Changed => {
  const changed = changes.reduce(step, { uids: stored, problems: [] })
  const twice = changed.uids.find((uid, index) =>
    changed.uids.slice(0, index).some((other) => sameWord(other.UID, uid.UID))
  )
  return twice === undefined
    ? changed
    : { ...changed, problems: [...changed.problems, { path: "UIDs", message: `must not contain ${twice.UID} twice` }] }
}
