import { Schema } from "effect"
import { TextUpTo } from "./Fields.ts"

const isHostname = (text: string) =>
  /^[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u.test(text) && URL.canParse(`http://${text}`)

/** The hosts of a comma-separated list, normalized for comparison. */
export const hostnamesOf = (list: string | null): ReadonlyArray<string> =>
  (list ?? "")
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "")

export const Hostnames = TextUpTo(4096).pipe(
  Schema.filter((list) => hostnamesOf(list).every(isHostname), {
    message: () => "must be a comma-separated list of hostnames, without ports or paths",
    jsonSchema: {},
    arbitrary: () => (fc) => fc.array(fc.domain(), { maxLength: 3 }).map((hosts) => hosts.join(","))
  })
)
