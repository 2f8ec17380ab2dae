import { Option } from "effect"
import { WINDOWS_TO_IANA_MAP } from "windows-iana"

// Windows still knows these two, but they stand for no place, so the map to IANA names leaves them out.
const withoutPlace = ["Kamchatka Standard Time", "Mid-Atlantic Standard Time"]

const names = new Map(
  [...WINDOWS_TO_IANA_MAP.map(({ windowsName }) => windowsName), ...withoutPlace].map((name) => [
    name.toLowerCase(),
    name
  ])
)

/** The name as Windows spells it, given in any case. */
export const windowsTimeZone = (name: string): Option.Option<string> =>
  Option.fromNullable(names.get(name.trim().toLowerCase()))
