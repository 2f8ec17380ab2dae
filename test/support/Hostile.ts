import { gzipSync } from "node:zlib"
import type { Behaviour } from "./UpstreamServer.ts"

const megabyte = Buffer.alloc(1024 * 1024, "x")

export const answering =
  (status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).end(body)
  }

/** Takes the request and never responds. */
export const hanging: Behaviour = () => undefined

/** Sends the headers and then a byte now and then, forever. */
export const trickling: Behaviour = (_, response) => {
  response.writeHead(200, { "content-type": "text/plain" })
  const timer = setInterval(() => response.write("."), 20)
  response.on("close", () => clearInterval(timer))
}

/** Sends as fast as the client reads, up to a gigabyte. */
export const flooding: Behaviour = (_, response) => {
  response.writeHead(200, { "content-type": "text/plain", "content-length": String(1024 * megabyte.length) })
  let left = 1024
  const pump = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1
      if (!response.write(megabyte)) return void response.once("drain", pump)
    }
    return response.end()
  }
  pump()
}

/** A few hundred kilobytes that decompress to 300 MB. */
export const bomb = (): Behaviour => {
  const packed = gzipSync(Buffer.alloc(300 * 1024 * 1024))
  return answering(200, packed, { "content-encoding": "gzip", "content-type": "text/plain" })
}

export const redirecting = (location: string, status = 302): Behaviour => answering(status, "moved", { location })
