import type { TicketMessageAttachment } from "../../../schema/TicketMessageAttachments.ts"
import { type Client, run } from "./Client.ts"
import { Problem } from "./Problem.ts"

type Named = Pick<TicketMessageAttachment, "accessToken" | "fileName">

/** Returns the size of a file. Only one byte is requested: the response states the total. */
export const readSize = async (client: Client, { accessToken }: Named) => {
  try {
    const [, { headers }] = await run(
      client.files.getFile({ path: { accessToken }, headers: { range: "bytes=0-0" }, withResponse: true })
    )
    const size = Number(/\/(\d+)$/.exec(headers["content-range"] ?? "")?.[1] ?? Number.NaN)
    return Number.isNaN(size) ? undefined : size
  } catch (error) {
    // An empty file has no first byte.
    if (error instanceof Problem && error.status === 416) return 0
    throw error
  }
}

/** Drops the content type: plain bytes are nothing that a browser would run or show by itself. */
export const readFile = async (client: Client, { accessToken }: Named) => {
  const content = await run(client.files.getFile({ path: { accessToken }, headers: {} }))
  return new Blob(content === undefined ? [] : [new Uint8Array(content)], { type: "application/octet-stream" })
}

const keptFor = 60_000

/** Hands the file to the browser's downloads. Nothing is ever opened in the page's own origin. */
export const saveFile = async (client: Client, file: Named) => {
  const address = URL.createObjectURL(await readFile(client, file))
  const link = document.createElement("a")
  link.href = address
  link.download = file.fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), keptFor)
}
