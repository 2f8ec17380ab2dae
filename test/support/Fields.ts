import { Predicate } from "effect"

/** The fields of a JSON object; throws for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => {
  if (Predicate.isReadonlyRecord(value)) return value
  throw new Error(`No object: ${JSON.stringify(value)}`)
}

/** What a value of any shape has under a name; undefined where it has nothing. */
export const field = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

const required =
  <A>(is: Predicate.Refinement<unknown, A>, kind: string) =>
  (value: unknown, name: string): A => {
    const found = field(value, name)
    if (is(found)) return found
    throw new Error(`There is no ${kind} ${name} in ${JSON.stringify(value)}`)
  }

/** The number that a value has under a name; throws where it has none. */
export const numberIn = required(Predicate.isNumber, "number")

/** The text that a value has under a name; throws where it has none. */
export const textIn = required(Predicate.isString, "text")

/** The list that a value has under a name; throws where it has none. */
export const listIn = required((found): found is ReadonlyArray<unknown> => Array.isArray(found), "list")

/** The first channel of a type in a list of channels; undefined where there is none. */
export const channelIn = (channels: unknown, channelType: string): unknown =>
  Array.isArray(channels)
    ? channels.find((channel: unknown) => field(channel, "channelType") === channelType)
    : undefined
