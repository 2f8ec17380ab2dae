import type { GraphMessage } from "./GraphShapes.ts"
import { headerOf } from "./MailHeaders.ts"

/** Several times as long as the provider writes it. */
const longest = 8_000

interface Part {
  readonly text: string
  /** Each after a parenthesis. */
  readonly comments: string
}

/**
 * The header's parts, without quoted text and with comments apart: both may be the sender's words. None if it is too
 * long, or does not close what it opens: nobody knows then which of the words are the provider's.
 */
const partsOf = (header: string): ReadonlyArray<Part> | undefined => {
  if (header.length > longest) return undefined
  const parts: Array<Part> = []
  let [text, comments, depth, isQuoted] = ["", "", 0, false]
  for (const [token] of `${header};`.matchAll(/\\.|[^"();\\]+|./gs)) {
    if (isQuoted) isQuoted = token !== '"'
    else if (token === "(" || token === ")") {
      depth += token === "(" ? 1 : -1
      if (depth < 0) return undefined
      if (token === "(") comments += token
      text += " "
    } else if (depth > 0) comments += token
    else if (token === '"') {
      isQuoted = true
      text += " "
    } else if (token === ";") {
      parts.push({ text, comments })
      text = ""
      comments = ""
    } else text += token
  }
  return depth > 0 || isQuoted ? undefined : parts
}

interface Verdict {
  readonly check: string
  readonly result: string
  /** The domain that was checked; empty if none is given. */
  readonly domain: string
  /** Whether it names the address that the mail came from; for mail inside the provider there is none. */
  readonly isFromOutside: boolean
}

const verdictIn = ({ comments, text }: Part): ReadonlyArray<Verdict> => {
  const [, check, result, rest = ""] = /^\s*(dmarc|spf|dkim|compauth)\s*=\s*(\w+)(.*)$/s.exec(text) ?? []
  if (check === undefined || result === undefined) return []
  const [, domain = ""] = /\b(?:header\.(?:from|[di])|smtp\.mailfrom)\s*=\s*(?:[^\s@]*@)?(\S+)/.exec(rest) ?? []
  return [{ check, result, domain, isFromOutside: /\(\s*sender ip is\s*[^\s(]/.test(comments) }]
}

const isAligned = (domain: string, own: string) =>
  domain === own || domain.endsWith(`.${own}`) || own.endsWith(`.${domain}`)

const isProven = ({ check, domain, result }: Verdict, own: string) =>
  check !== "compauth" && (result === "pass" || result === "bestguesspass") && isAligned(domain, own)

/** Whether there was something to check, as there is for mail from outside: no proof is then proof enough. */
const isChecked = ({ check, domain, isFromOutside, result }: Verdict, own: string) => {
  if (check === "compauth") return result !== "none"
  return result !== "none" || (check === "spf" && (isFromOutside || !isAligned(domain, own)))
}

/**
 * Whether a mail from this address is not really from there. The provider judges mail from outside in the topmost
 * Authentication-Results; those below may be the sender's. Mail that never left the provider has no such header, or
 * one in which nothing was checked.
 */
export const isForged = ({ internetMessageHeaders }: GraphMessage, from: string) => {
  const own = from.slice(from.lastIndexOf("@") + 1).toLowerCase()
  const parts = partsOf((headerOf(internetMessageHeaders, "Authentication-Results") ?? "").toLowerCase())
  if (parts === undefined) return true
  const verdicts = parts.flatMap(verdictIn)
  const hasFailed = (name: string) => verdicts.some(({ check, result }) => check === name && result === "fail")
  if (hasFailed("compauth")) return true
  // The last word of the provider: it lets a forwarder that the customer trusts (ARC) outweigh a failed DMARC.
  if (verdicts.findLast(({ check }) => check === "compauth")?.result === "pass") return false
  return (
    hasFailed("dmarc") ||
    (verdicts.some((verdict) => isChecked(verdict, own)) && !verdicts.some((verdict) => isProven(verdict, own)))
  )
}
