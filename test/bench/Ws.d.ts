/** As much of ws as the benchmark uses: the package ships no types. */
declare module "ws" {
  import type { EventEmitter } from "node:events"
  import type { IncomingMessage, Server } from "node:http"

  export class WebSocket extends EventEmitter {
    constructor(url: string, options?: { readonly headers?: Readonly<Record<string, string>> })
    send(data: string | Buffer, options?: { readonly binary?: boolean }): void
    close(): void
    terminate(): void
    on(event: "open" | "close", listener: () => void): this
    on(event: "error", listener: (error: Error) => void): this
    on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): this
    once(event: "message", listener: (data: Buffer) => void): this
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: { readonly server: Server; readonly path: string; readonly perMessageDeflate?: boolean })
    on(event: "connection", listener: (socket: WebSocket, request: IncomingMessage) => void): this
  }
}
