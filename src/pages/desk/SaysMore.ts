import { targetOf } from "./LinkTarget.ts"

/** Elements that mean something, unless they are empty. */
const meaningful =
  /<(b|strong|i|em|u|s|del|ins|mark|sub|sup|h[1-6]|li|dt|blockquote)\b[^<>]*>(?!(?:\s|<br\b[^<>]*>)*<\/\1>)/i

/** A line between parts, a picture, or a row with several cells: others only lay out a page. */
const arranged = /<hr\b|<img\b[^<>]*\ssrc="|<\/t[dh]>\s*<t[dh]\b/i

const styled =
  /\sstyle="[^"]*(?:font-weight:(?:bold|[6-9]00)|font-style:italic|text-decoration:(?:underline|line-through))/i

/** A colour may say who wrote what; shades of grey do not. */
const coloured =
  /\sstyle="[^"]*color:(?!black|white|gr[ae]y|windowtext|transparent|inherit|initial|#([\da-f]{1,2})\1\1["; ]|rgba?\((\d+), ?\2, ?\2[,)])/i

const link = /<a\b[^<>]*\shref="([^"]*)"[^<>]*>(.*?)<\/a>/gis

const signs: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" }

const decoded = (html: string) => html.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => signs[name] ?? "")

const wordsIn = (html: string) => decoded(html.replace(/<[^<>]*>/g, ""))

const joined = (text: string) => text.replace(/[\s\p{Cf}]/gu, "")

const bare = (address: string) =>
  joined(address)
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)?(?:www\.)?|\/$/g, "")

const hasHiddenTarget = (html: string) =>
  [...html.matchAll(link)].some(([, href = "", words = ""]) => {
    const target = decoded(href)
    return targetOf(target) !== undefined && bare(wordsIn(words)) !== bare(target)
  })

/** Whether sanitised HTML says more than the text that is shown of it. */
export const saysMore = (html: string, text: string) =>
  [meaningful, arranged, styled, coloured].some((pattern) => pattern.test(html)) ||
  hasHiddenTarget(html) ||
  !joined(text).includes(joined(wordsIn(html)))
