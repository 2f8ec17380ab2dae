import { createHash, timingSafeEqual } from "node:crypto"

const digest = (text: string) => createHash("sha256").update(text).digest()

/** Compares secrets in constant time, whatever the texts and their lengths are. */
export const sameText = (left: string, right: string) => timingSafeEqual(digest(left), digest(right))
