import { TrimmedUpTo } from "./Fields.ts"

/** The maximum length of an email address. */
export const longestUid = 320

export const UID = TrimmedUpTo(longestUid).annotations({
  description: "Compared without regard to case",
  examples: ["maria@mail.example"]
})
