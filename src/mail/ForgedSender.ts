import type { GraphMessage } from "./GraphShapes.ts"
import { headerOf } from "./MailHeaders.ts"

interface Verdict {
  readonly check: string
  readonly result: string
  /** The domain that was checked; empty if none is given. */
  readonly domain: string
}

/** Without comments and quoted text, which may be the sender's words. */
const plain = (value: string) => value.replaceAll(/"(?:[^"\\]|\\.)*"|\([^()]*\)/g, " ").toLowerCase()

const verdictsIn = (value: string) =>
  plain(value)
    .split(";")
    .flatMap((part): ReadonlyArray<Verdict> => {
      const [, check, result, rest = ""] = /^\s*(dmarc|spf|dkim|compauth)\s*=\s*(\w+)(.*)$/s.exec(part) ?? []
      const [, domain = ""] = /\b(?:header\.(?:from|[di])|smtp\.mailfrom)\s*=\s*(?:[^\s@]*@)?(\S+)/.exec(rest) ?? []
      return check === undefined || result === undefined ? [] : [{ check, result, domain }]
    })

const isAligned = (domain: string, own: string) =>
  domain === own || domain.endsWith(`.${own}`) || own.endsWith(`.${domain}`)

/** Whether the provider found that the mail is not from the domain of its From. */
const isRefuted = ({ check, result }: Verdict) => result === "fail" && (check === "dmarc" || check === "compauth")

const isProven = ({ check, domain, result }: Verdict, own: string) =>
  check !== "compauth" &&
  (result === "pass" || result === "bestguesspass") &&
  (isAligned(domain, own) || (check === "dmarc" && domain === ""))

/** Whether there was something to check, as there is for mail from outside: no proof is then proof enough. */
const isChecked = ({ check, domain, result }: Verdict, own: string) => {
  if (check === "compauth") return result !== "pass" && result !== "none"
  return result !== "none" || (check === "spf" && !isAligned(domain, own))
}

/**
 * Whether a mail from this address is not really from there. The provider judges mail from outside in the topmost
 * Authentication-Results; those below may be the sender's. Mail that never left the provider has no such header, or
 * one in which nothing was checked.
 */
export const isForged = ({ internetMessageHeaders }: GraphMessage, from: string) => {
  const own = from.slice(from.lastIndexOf("@") + 1).toLowerCase()
  const verdicts = verdictsIn(headerOf(internetMessageHeaders, "Authentication-Results") ?? "")
  return (
    verdicts.some(isRefuted) ||
    (verdicts.some((verdict) => isChecked(verdict, own)) && !verdicts.some((verdict) => isProven(verdict, own)))
  )
}
