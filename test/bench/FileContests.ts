import { listIn, numberIn, textIn } from "../support/Fields.ts"
import { read } from "./Ask.ts"
import { type Contest, reads } from "./Compare.ts"
import type { Setting } from "./Contestants.ts"
import { throughput } from "./Load.ts"

const kibibyte = 1024

const sizes: Readonly<Record<string, number>> = {
  "file download, 64 KiB": 64 * kibibyte,
  "file download, 1 MiB": 1024 * kibibyte
}

const firstMessage = async ({ base, customer, token }: Setting) => {
  const messages = await read(`${base}/tickets/${customer.ticketID}/messages`, {
    headers: { authorization: `Bearer ${token}` }
  })
  return numberIn(listIn(messages, "items")[0], "messageID")
}

const upload = async ({ base, token }: Setting, messageID: number, size: number) => {
  const body = new FormData()
  body.append("file", new Blob([Buffer.alloc(size, "0123456789\n")]), "file.txt")
  const answer = await read(`${base}/ticketMessages/${messageID}/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body
  })
  return textIn(answer, "accessToken")
}

/** Downloads of attachments from the folder store, authorised by their tokens alone. */
export const fileContests = async (setting: Setting): Promise<ReadonlyArray<Contest>> => {
  const messageID = await firstMessage(setting)
  const contests: Array<Contest> = []
  for (const [name, size] of Object.entries(sizes)) {
    const path = `/api/File/${await upload(setting, messageID, size)}`
    contests.push({ name, open: async (base) => throughput(base, { method: "GET", path }), ...reads })
  }
  return contests
}
