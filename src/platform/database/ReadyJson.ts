import { HttpServerResponse } from "@effect/platform"
import type { Schema } from "effect"

declare const Decoded: unique symbol

/** JSON built by the database; a test checks it against the schema that it stands for. */
export interface ReadyJson<A> {
  readonly text: string
  readonly [Decoded]?: A
}

/** A page, and the number of items on all pages. */
export interface ReadyPage<A> extends ReadyJson<A> {
  readonly totalCount: number
}

/** Tags a text with the schema that it is written for. */
export const readyJson = <A, I>(_: Schema.Schema<A, I>, text: string): ReadyJson<A> => ({ text })

/** Sends ready JSON as it is: decoding and encoding it again would take longer than the query. */
export const sendReady = <A>({ text }: ReadyJson<A>) =>
  HttpServerResponse.text(text, { contentType: "application/json" })
