import { TrimmedUpTo } from "./Fields.ts"

/** As long as an email address can be. */
export const longestUid = 320

export const UID = TrimmedUpTo(longestUid).annotations({
  description: "Compared without regard to case",
  examples: ["maria@mail.example"]
})
