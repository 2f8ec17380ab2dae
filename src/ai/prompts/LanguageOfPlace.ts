import { Schema } from "effect"
import { asItIs, type Prompt } from "./Prompt.ts"

export const PlaceInput = Schema.Struct({
  country: Schema.String,
  state: Schema.NullOr(Schema.String),
  city: Schema.NullOr(Schema.String)
})
export type PlaceInput = typeof PlaceInput.Type

export const languageOfPlacePrompt: Prompt<PlaceInput, typeof PlaceInput.Encoded> = {
  purpose: "LanguageOfPlace",
  version: "language-of-place-1",
  input: PlaceInput,
  shortened: asItIs,
  render: ({ city, country, state }, fence) => ({
    system: `You tell the language that most people at a place speak. The city decides, else the state, else the country. Answer its ISO 639-1 code in lower case, or its ISO 639-3 code where there is no other.

${fence.rule}`,
    user: [
      fence.put("country", country),
      ...(state === null ? [] : [fence.put("state", state)]),
      ...(city === null ? [] : [fence.put("city", city)])
    ].join("\n\n")
  })
}
