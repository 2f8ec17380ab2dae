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

type Reading = Pick<HttpServerRequest.HttpServerRequest, "text" | "json" | "multipart" | "multipartStream" | "upgrade">

/** What may differ from the incoming request. */
interface Changes extends Partial<Reading> {
  readonly method?: HttpMethod.HttpMethod
  readonly url?: string
  readonly headers?: Headers.Headers
  readonly remoteAddress?: string
}

/** An incoming request, as handlers see it. The library makes its own only together with a fiber and a scope. */
export class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly source: IncomingMessage
  readonly response: ServerResponse | (() => ServerResponse)
  readonly method: HttpMethod.HttpMethod
  readonly url: string
  readonly headers: Headers.Headers
  readonly #changed: Changes

  constructor(source: IncomingMessage, response: ServerResponse | (() => ServerResponse), changed: Changes = {}) {
    super()
    this.source = source
    this.response = response
    this.method = changed.method ?? ((source.method ?? "GET") as HttpMethod.HttpMethod)
    this.url = changed.url ?? source.url ?? "/"
    // Node's headers are lower-case and joined already, which is all that the library's type asks for.
    this.headers = changed.headers ?? (source.headers as Headers.Headers)
    this.#changed = changed
  }

  get originalUrl() {
    return this.source.url ?? "/"
  }

  get remoteAddress() {
    return Option.fromNullable(this.#changed.remoteAddress ?? this.source.socket.remoteAddress)
  }

  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }

  #unreadable(cause: unknown): HttpServerError.RequestError {
    return new HttpServerError.RequestError({ request: this, reason: "Decode", cause })
  }

  get #bytes(): Effect.Effect<Buffer, HttpServerError.RequestError> {
    return Effect.mapError(readBody(this.source, largestJson), (cause) => this.#unreadable(cause))
  }

  get text(): Effect.Effect<string, HttpServerError.RequestError> {
    return (
      this.#changed.text ??
      Effect.flatMap(this.#bytes, (bytes) => Effect.mapError(decodeText(bytes), (cause) => this.#unreadable(cause)))
    )
  }

  get json(): Effect.Effect<unknown, HttpServerError.RequestError> {
    return (
      this.#changed.json ??
      Effect.tryMap(this.text, {
        try: (text): unknown => JSON.parse(text),
        catch: (cause) => this.#unreadable(cause)
      })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpServerError.RequestError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpServerError.RequestError> {
    return Effect.map(this.#bytes, (bytes) => new Uint8Array(bytes).buffer)
  }

  get stream() {
    return NodeStream.fromReadable<HttpServerError.RequestError, Uint8Array>(
      () => this.source,
      (cause) => this.#unreadable(cause)
    )
  }

  get multipart() {
    return this.#changed.multipart ?? NodeMultipart.persisted(this.source, this.source.headers)
  }

  get multipartStream() {
    return this.#changed.multipartStream ?? NodeMultipart.stream(this.source, this.source.headers)
  }

  get upgrade() {
    return this.#changed.upgrade ?? Effect.fail(this.#unreadable("This request does not ask for a protocol upgrade."))
  }

  modify(options: Changes): NodeRequest {
    return new NodeRequest(this.source, this.response, { ...this.#changed, ...options })
  }

  toJSON() {
    return { _id: "NodeRequest", method: this.method, url: this.originalUrl }
  }
}
