import { createDecipheriv, createHash, timingSafeEqual } from "node:crypto"
import type pg from "pg"

export interface Notifications {
  readonly value: ReadonlyArray<{
    readonly subscriptionId: string
    readonly clientState: string
    readonly changeType: string
    readonly resourceData: { readonly id: string }
  }>
}

const key = createHash("sha256").update(`casework secrets ${process.env["SECRETS_KEY"]}`).digest()

/** Decrypts the clientState, which is encrypted as in Casework. */
const decrypt = (customerID: number, stored: string) => {
  const [, iv = "", sealed = ""] = stored.split(".")
  const bytes = Buffer.from(sealed, "base64url")
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"), { authTagLength: 16 })
    .setAAD(Buffer.from(`channel_folder.client_state.${customerID}`))
    .setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()])
}

const isSame = (given: string, agreed: Buffer) => {
  const bytes = Buffer.from(given)
  return bytes.length === agreed.length && timingSafeEqual(bytes, agreed)
}

const folderSql = `
  select f.customer_id as "customerID", f.channel_folder_id as "folderID", f.client_state as "clientState"
  from channel_folder f
  join channel c on c.customer_id = f.customer_id and c.channel_id = f.channel_id and c.deleted_at is null
  where f.subscription_id = $1 and f.auto_retrieve_emails and c.auto_retrieve_emails and c.is_active`

interface Folder {
  readonly customerID: number
  readonly folderID: number
  readonly clientState: string
}

const jobSql = "insert into job (customer_id, kind, payload) values ($1, 'ImportMessages', $2)"

/** Looks up the subscription, checks its clientState, and enqueues a job for each mail. */
export const noteMails = async (pool: pg.Pool, { value }: Notifications) => {
  for (const { changeType, clientState, resourceData, subscriptionId } of value) {
    if (changeType !== "created") continue
    const { rows } = await pool.query<Folder>({ name: "folder", text: folderSql, values: [subscriptionId] })
    const [folder] = rows
    if (folder === undefined || !isSame(clientState, decrypt(folder.customerID, folder.clientState))) continue
    const payload = JSON.stringify({ folderID: folder.folderID, messageIDs: [resourceData.id] })
    await pool.query({ name: "job", text: jobSql, values: [folder.customerID, payload] })
  }
}
