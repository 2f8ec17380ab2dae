import { folded } from "../platform/database/SearchWords.ts"

/** The searchable fields of an end user. */
interface Searchable {
  readonly FirstName: string
  readonly LastName: string
  readonly DisplayName: string | null
  readonly Email: string | null
  readonly Phone: string | null
  readonly CustomerRef: string | null
}

/** The text that is searched, one field per line. */
export const searchTextOf = (endUser: Searchable, uids: ReadonlyArray<{ readonly UID: string }>) =>
  folded(
    [
      `${endUser.FirstName} ${endUser.LastName}`.trim(),
      endUser.DisplayName,
      endUser.Email,
      endUser.Phone,
      endUser.CustomerRef,
      ...uids.map(({ UID }) => UID)
    ]
      .filter((line) => line !== null)
      .join("\n")
  )
