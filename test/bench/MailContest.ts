import { ConfigProvider, Effect, Layer } from "effect"
import { clientStatePlace } from "../../src/mail/Subscriptions.ts"
import { Secrets } from "../../src/platform/secrets/Secrets.ts"
import { Settings } from "../../src/platform/settings/Settings.ts"
import { type Contest, writes } from "./Compare.ts"
import type { Setting } from "./Contestants.ts"
import { connected, secrets } from "./Databases.ts"
import { throughput } from "./Load.ts"

const clientState = "the-word-that-was-agreed-on-with-the-provider"

const foldersSql = `
  insert into channel_folder (customer_id, channel_id, name, folder_type, external_folder_id, auto_retrieve_emails,
    subscription_id, subscription_expires_at)
  select customer_id, channel_id, 'Inbox', 'Inbox', 'inbox-' || customer_id, true, gen_random_uuid()::text,
    now() + interval '6 days'
  from channel where channel_type = 'Email'
  returning customer_id as "customerID", subscription_id as "subscriptionId"`

/** The clientState as it is stored. */
const sealed = (customerID: number, url: string) =>
  Effect.map(Secrets, ({ encrypt }) => encrypt(clientStatePlace(customerID), clientState)).pipe(
    Effect.provide(Layer.provide(Secrets.layer, Settings.layer)),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([...Object.entries(secrets), ["DATABASE_URL", url]])))
  )

interface Subscription {
  readonly customerID: number
  readonly subscriptionId: string
}

/** Subscribes to one folder of every customer. */
const subscribeAll = (url: string) =>
  connected(url, async (client) => {
    await client.query("delete from channel_folder")
    await client.query("update channel set auto_retrieve_emails = true where channel_type = 'Email'")
    const { rows } = await client.query<Subscription>(foldersSql)
    for (const { customerID } of rows) {
      await client.query("update channel_folder set client_state = $1 where customer_id = $2", [
        await Effect.runPromise(sealed(customerID, url)),
        customerID
      ])
    }
    return rows
  })

/** The mail provider sends notifications of mails, cycling through the folders. */
export const mailContest = async ({ url }: Setting): Promise<Contest> => {
  const subscriptions = await subscribeAll(url)
  let number = 0
  const body = () => {
    number += 1
    const { customerID, subscriptionId } = subscriptions[number % subscriptions.length] ?? { customerID: 0 }
    const id = `mail-${number}`
    const resource = `Users/user-${customerID}/Messages/${id}`
    return JSON.stringify({
      value: [{ subscriptionId, clientState, changeType: "created", resource, resourceData: { id } }]
    })
  }
  return {
    name: "notification intake",
    open: async (base) => throughput(base, { method: "POST", path: "/api/MailWebhook", body }),
    ...writes
  }
}
