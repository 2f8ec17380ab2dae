import { HttpServerResponse } from "@effect/platform"
import type { Schema } from "effect"

declare const Decoded: unique symbol

/** JSON that the database built already; a test holds it against the schema that it stands for. */
export interface ReadyJson<A> {
  readonly text: string
  readonly [Decoded]?: A
}

/** A page, and how many there are on all pages. */
export interface ReadyPage<A> extends ReadyJson<A> {
  readonly totalCount: number
}

/** Names the schema that the text is written for. */
export const readyJson = <A, I>(_: Schema.Schema<A, I>, text: string): ReadyJson<A> => ({ text })

/** Sends ready JSON as it is: decoding and encoding it again would take longer than the query. */
export const sendReady = <A>({ text }: ReadyJson<A>) =>
  HttpServerResponse.text(text, { contentType: "application/json" })
