import { isMailSystem } from "../platform/text/MailSystem.ts"
import type { GraphMessage } from "./GraphShapes.ts"
import { headerOf } from "./MailHeaders.ts"

/** Whether a program wrote the mail: an absence notice, a newsletter, a bounce, a notification. */
export const isAutomaticMail = ({ from, internetMessageHeaders: headers }: GraphMessage): boolean => {
  const value = (name: string) => headerOf(headers, name)?.trim().toLowerCase() ?? ""
  const [submitted, suppressed] = [value("Auto-Submitted"), value("X-Auto-Response-Suppress")]
  return (
    (submitted !== "" && !/^no\b/.test(submitted)) ||
    /^(?:bulk|list|junk|auto_reply)\b/.test(value("Precedence")) ||
    value("List-Unsubscribe") !== "" ||
    value("List-Id") !== "" ||
    (suppressed !== "" && suppressed !== "none") ||
    value("X-Autoreply") !== "" ||
    value("X-Autorespond") !== "" ||
    value("X-Failed-Recipients") !== "" ||
    /^multipart\/report\b/.test(value("Content-Type")) ||
    value("Return-Path") === "<>" ||
    isMailSystem(from?.emailAddress?.address ?? "")
  )
}
