import { join } from "node:path"
import contentDisposition from "content-disposition"
import type pg from "pg"

const folder = join(process.env["DATA_DIR"] ?? ".", "files")

/** Where Casework's folder store keeps a blob. */
export const pathOf = (customerID: number, blobID: string) =>
  join(folder, String(customerID), blobID.slice(0, 2), blobID)

const fileSql = `
  select a.customer_id as "customerID", a.access_token as token, a.file_name as "fileName",
    a.content_type as "contentType", a.blob_id as "blobID", b.size
  from ticket_message_attachment a join blob b on b.customer_id = a.customer_id and b.blob_id = a.blob_id
  where a.access_token = $1`

/** Finds the file that a token gives access to. */
export const findFile = async (pool: pg.Pool, token: string) => {
  const { rows } = await pool.query<File>({ name: "file", text: fileSql, values: [token] })
  return rows[0] === undefined ? undefined : { ...rows[0], path: pathOf(rows[0].customerID, rows[0].blobID) }
}

interface File {
  readonly customerID: number
  readonly token: string
  readonly fileName: string
  readonly contentType: string
  readonly blobID: string
  readonly size: string
}

export const headersOf = ({ contentType, fileName, size, token }: File) => ({
  "content-type": contentType,
  "content-length": size,
  "content-disposition": contentDisposition(fileName, { type: "inline" }),
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, max-age=3600",
  etag: `"${token}"`
})
