import type { IncomingMessage, ServerResponse } from "node:http"
import {
  Cookies,
  type Headers,
  HttpIncomingMessage,
  type HttpMethod,
  HttpServerError,
  HttpServerRequest,
  UrlParams
} from "@effect/platform"
import * as NodeMultipart from "@effect/platform-node/NodeMultipart"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Inspectable, Option } from "effect"
import { decodeText, largestJson, readBody } from "./RequestBody.ts"

/** A request that came in, as handlers see it. The library makes its own only together with a fiber and a scope. */
export class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly source: IncomingMessage
  readonly response: ServerResponse
  readonly url: string
  readonly headers: Headers.Headers
  readonly #address: string | undefined

  constructor(
    source: IncomingMessage,
    response: ServerResponse,
    changed: { readonly url?: string; readonly headers?: Headers.Headers; readonly remoteAddress?: string } = {}
  ) {
    super()
    this.source = source
    this.response = response
    this.url = changed.url ?? source.url ?? "/"
    // Node's are in lower case and joined already, which is all that the library's type asks for.
    this.headers = changed.headers ?? (source.headers as Headers.Headers)
    this.#address = changed.remoteAddress
  }

  get method() {
    return (this.source.method ?? "GET") as HttpMethod.HttpMethod
  }

  get originalUrl() {
    return this.source.url ?? "/"
  }

  get remoteAddress() {
    return Option.fromNullable(this.#address ?? this.source.socket.remoteAddress)
  }

  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }

  readonly #unreadable = (cause: unknown): HttpServerError.RequestError =>
    new HttpServerError.RequestError({ request: this, reason: "Decode", cause })

  get #bytes(): Effect.Effect<Buffer, HttpServerError.RequestError> {
    return Effect.mapError(readBody(this.source, largestJson), this.#unreadable)
  }

  get text(): Effect.Effect<string, HttpServerError.RequestError> {
    return Effect.flatMap(this.#bytes, (bytes) => Effect.mapError(decodeText(bytes), this.#unreadable))
  }

  get json(): Effect.Effect<unknown, HttpServerError.RequestError> {
    return Effect.tryMap(this.text, { try: (text): unknown => JSON.parse(text), catch: this.#unreadable })
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpServerError.RequestError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpServerError.RequestError> {
    return Effect.map(this.#bytes, (bytes) => new Uint8Array(bytes).buffer)
  }

  get stream() {
    return NodeStream.fromReadable<HttpServerError.RequestError, Uint8Array>(() => this.source, this.#unreadable)
  }

  get multipart() {
    return NodeMultipart.persisted(this.source, this.source.headers)
  }

  get multipartStream() {
    return NodeMultipart.stream(this.source, this.source.headers)
  }

  get upgrade(): Effect.Effect<never, HttpServerError.RequestError> {
    return Effect.fail(this.#unreadable("This request does not ask for another protocol."))
  }

  modify(options: {
    readonly url?: string
    readonly headers?: Headers.Headers
    readonly remoteAddress?: string
  }): NodeRequest {
    return new NodeRequest(this.source, this.response, { url: this.url, headers: this.headers, ...options })
  }

  toJSON() {
    return { _id: "NodeRequest", method: this.method, url: this.originalUrl }
  }
}
