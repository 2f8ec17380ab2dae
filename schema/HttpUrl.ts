import { Schema } from "effect"
import { TextUpTo } from "./Fields.ts"

const isHttpUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:\/\//i.test(text) && url.username === "" && url.password === ""
}

/** An absolute URL without credentials, which have fields of their own where they are encrypted. */
export const HttpUrl = TextUpTo(2048).pipe(
  Schema.filter(isHttpUrl, {
    message: () => "must be an absolute http or https URL without a username or password",
    jsonSchema: { format: "uri" },
    arbitrary: () => (fc) => fc.webUrl()
  })
)
